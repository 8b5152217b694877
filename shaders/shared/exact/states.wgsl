// Sums of states instead of elements: every digit is added to its limb.
#ifdef reads_partials
#import entry
#import io
#import operator
#import format
#import exact/digits
#import exact/input
#import exact/limbs

// The first two words of all states, added up in 64 bits each: parts and formats, the count.
var<workgroup> tally: array<atomic<u32>, 4>;

// All limbs and the tally zero; a barrier has to follow.
fn clear_tally(at: Place) {
    clear_limbs(at);
    for (var i = at.lid; i < 4u; i += WG) {
        atomicStore(&tally[i], 0u);
    }
}

fn add_tally(word: u32, low: u32, high: u32) {
    let before = atomicAdd(&tally[word], low);
    atomicAdd(&tally[word + 1u], high + select(0u, 1u, before + low < before));
}

fn is_set(p: u32) -> bool {
    return (input[p] | input[p + 1u]) != 0u;
}

// The states from `begin` to `stop` that fall to invocation `own` of `grid`.
fn fold_states(begin: u32, stop: u32, own: u32, grid: u32) -> Acc {
    var acc = identity();
    acc.tag = LOWEST | SPILLED;
    for (var i = begin + own; i < stop; i += grid) {
        let at = 2u * WORDS * i;
        add_tally(0u, input[at], input[at + 1u]);
        add_tally(2u, input[at + 2u], input[at + 3u]);
        acc.tag |= select(0u, NAN, is_set(at + 4u)) | select(0u, PLUS_INFINITY, is_set(at + 6u));
        acc.tag |= select(0u, MINUS_INFINITY, is_set(at + 8u)) | select(0u, OTHERS, is_set(at + 10u));
        for (var d = 0u; d < DIGITS; d++) {
            let low = input[at + 2u * (HEAD + d)];
            let high = input[at + 2u * (HEAD + d) + 1u];
            let sign = high >> 31u;
            add_limb(set_of(0u), d, low);
            add_limb(set_of(sign), d + 1u, (high ^ (0u - sign)) + sign);
        }
    }
    return acc;
}

// The same with all limbs and the tally cleared before, as `fold_range` of elements does (fold.wgsl).
fn fold_range(begin: u32, stop: u32, own: u32, grid: u32, at: Place, wg: Workgroup) -> Acc {
    clear_tally(at);
    workgroupBarrier();
    return fold_states(begin, stop, own, grid);
}
#endif
