// Sums of states instead of elements: every digit is added to its limb.
#ifdef reads_partials
#import lib/grid/entry
#import <operator>
#import exact/formats/*
#import exact/sums/*
#import shared/exact/digits
#import shared/exact/limbs

@group(0) @binding(0) var<storage, read> input: array<u32>;

// The first two words of all states of a sum, added up in 64 bits each: parts and formats, the count.
var<workgroup> tally: array<atomic<u32>, 4u * MOST_SUMS>;

// All limbs and the tally zero; a barrier has to follow.
fn clear_tally(at: Place) {
    clear_limbs(at);
    for (var i = at.lid; i < 4u * MOST_SUMS; i += WG) {
        atomicStore(&tally[i], 0u);
    }
}

fn add_tally(word: u32, low: u32, high: u32) {
    let before = atomicAdd(&tally[word], low);
    atomicAdd(&tally[word + 1u], high + select(0u, 1u, before + low < before));
}

// The sum of the states of invocation `own` of `grid`, of `count` that are `step` apart (see fold_apart.wgsl). Clears limbs and tally first.
fn fold_apart(begin: u32, count: u32, step: u32, own: u32, grid: u32, at: Place, wg: Workgroup) -> Acc {
    let own_tally = 4u * (member_of(at.lid) & (sums() - 1u));
    clear_tally(at);
    workgroupBarrier();
    var acc = Acc(vec4<u32>(0u), LOWEST | SPILLED);
    for (var k = own; k < count; k += grid) {
        let p = 2u * WORDS * (begin + k * step);
        add_tally(own_tally, input[p], input[p + 1u]);
        add_tally(own_tally + 2u, input[p + 2u], input[p + 3u]);
        for (var w = 2u; w < HEAD; w++) {
            acc.tag |= select(0u, 1u << (FLAG_SHIFT + w), (input[p + 2u * w] | input[p + 2u * w + 1u]) != 0u);
        }
        for (var d = 0u; d < DIGITS; d++) {
            let low = input[p + 2u * (HEAD + d)];
            let high = input[p + 2u * (HEAD + d) + 1u];
            let sign = high >> 31u;
            add_limb(set_of(0u), d, low);
            add_limb(set_of(sign), d + 1u, (high ^ (0u - sign)) + sign);
        }
    }
    return acc;
}

// The same of states that adjoin, from `begin` to `stop`.
fn fold_range(begin: u32, stop: u32, own: u32, grid: u32, at: Place, wg: Workgroup) -> Acc {
    return fold_apart(begin, stop - begin, 1u, own, grid, at, wg);
}
#endif
