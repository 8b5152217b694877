// exact: sums without rounding, by integers alone: the same bits on every GPU, in any order.
//
// Every rung before this one rounds at each addition, so that its last digits depend on the tree: on the size of
// workgroups, the width of subgroups, the plan. A float, though, is an integer of 24 bits times a power of two, and integers
// add without rounding. As one integer in units of 2^-149, the smallest subnormal, every f32 has at most 277 bits. 2^32 of them have
// 277 + 32, a sign one more: 310 bits, ten words of 32. They cannot overflow, and there is one rounding, at the end.
//
// Ten additions with carry for each element would take far longer than loading it. Three steps avoid them:
//
//     1. a window in registers    28 exponents of 255. Nearly all elements of real data lie in it, and take two shifts and
//                                 two additions each, without carries (exact/shared/one_word.wgsl says how)
//     2. limbs of the workgroup   eleven words in workgroup memory, for elements outside of the window: each is added where its
//                                 exponent says, by atomics, the carry seen in what `atomicAdd` answers (limbs.wgsl)
//     3. the meeting              windows meet as sums do in `single-pass`: a tree, a slot for each workgroup, and the workgroup that
//                                 finishes last adds up all. Only a workgroup that used its limbs publishes them, too
//
// The invocations of a workgroup begin with the same window, chosen by some of their first elements, four to seven exponents above the largest of
// them and twenty or more below: in steps of four, so that most workgroups choose the same. One that finds a batch outside of it, but within
// another window, takes that one and leaves its sum to the limbs: data sorted by magnitude pass through a few windows. Zeros lie in
// every window, as nothing.
//
// Why not floats? The classic way to exact sums splits rounding errors off by clever float subtractions. WGSL permits a compiler to
// rearrange those, and Metal's does. Nobody may rearrange integers to another result.
//
// What it fixes over single-pass: the last bits. Two GPUs, two tunings, two orders of the elements, one file or ten pieces of it
// give the same bits, those of the true sum. And large numbers that cancel leave what is left, not noise.
//
// Its price is arithmetic, a dozen integer operations an element, which large GPUs do while they wait for memory; software adapters
// do not wait. And a longer end: limbs, digits and the rounding take some microseconds, however short the input is.
//
// Beyond the documents. CUB's reproducible sum (RFA) splits floats into bins by float arithmetic: the same bits on one vendor's
// GPUs and one version, not correctly rounded, at 1.4 times the time of its plain sum.
// Today: on an H200 at 2^28 elements of ordinary data 1.08 to 1.15 times the time of `single-pass`, at 2^24 1.6 to 2 times.
#import entry
#import exact/fold
#import exact/states
#import exact/conclude
#import workgroup_reduce
#import subgroup_reduce
#import partials

struct Own {
    // This dispatch's first slot of the partials buffer.
    slot: u32,
    // Workgroups of all dispatches that share the ticket counter.
    tickets: u32,
    // Always zero, which no compiler knows: it makes a dependency that cannot be folded away.
    zero: u32,
}

// Whether this workgroup is the last one: 1 or 0. Written by invocation 0, read by all.
var<workgroup> is_last: u32;

#ifdef reads_partials
// Words of a workgroup's limbs in the partials buffer, behind all slots; with the tally behind them.
const EXTRA: u32 = LIMBS + 4u;
#else
const EXTRA: u32 = LIMBS;
#endif

fn extra_of(slot: u32) -> u32 {
    return FIRST_SLOT + params.own.tickets * ACC_WORDS + slot * (LIMBS + 4u);
}

fn extra_word(word: u32) -> u32 {
#ifdef reads_partials
    if word >= LIMBS {
        return atomicLoad(&tally[word - LIMBS]);
    }
#endif
    return digits[word];
}

// What the exchanges of all invocations found, as far as it is not zero: always zero, and no compiler knows.
var<workgroup> found: atomic<u32>;
// Which of the slots looked at have more in their limbs, a bit each, and whether any has.
var<workgroup> spilled: array<atomic<u32>, 32>;
var<workgroup> more: atomic<u32>;
// Whether this workgroup has.
var<workgroup> is_spilled: u32;

// Publishes what is in the limbs, if anything is, then the window; answers, to invocation 0, whether everyone now has.
fn publish_all(partial: Acc, slot: u32, at: Place) -> bool {
    var share = partial;
    if at.lid == 0u {
        is_spilled = partial.tag & SPILLED;
        atomicStore(&found, 0u);
    }
    if workgroupUniformLoad(&is_spilled) != 0u {
        to_digits(partial, at);
        workgroupBarrier();
        for (var w = at.lid; w < EXTRA; w += WG) {
            let before = atomicExchange(&partials[extra_of(slot) + w], extra_word(w));
            atomicOr(&found, before & params.own.zero);
        }
        workgroupBarrier();
        // The window is in the digits now. It is published after them, as it depends on what they replaced.
        share = identity();
        share.tag = partial.tag | atomicLoad(&found);
    }
    return at.lid == 0u && publish(slot, share);
}

// Digits that the workgroups of slots from `begin` on left, added to the limbs of this one: an invocation a digit.
fn add_extras(begin: u32, at: Place) {
    let end = select(0u, WG * EXTRA, atomicLoad(&more) != 0u);
    for (var i = at.lid; i < end; i += WG) {
        let number = i / EXTRA;
        if ((atomicLoad(&spilled[number >> 5u]) >> (number & 31u)) & 1u) == 0u {
            continue;
        }
        let slot = begin + number;
        let l = i % EXTRA;
        let word = atomicOr(&partials[extra_of(slot) + l], 0u);
#ifdef reads_partials
        if l >= LIMBS {
            // Both counts have two words, of which the upper ones take the carries of the lower ones.
            let place = l - LIMBS;
            let before = atomicAdd(&tally[place], word);
            if (place & 1u) == 0u && before + word < before {
                atomicAdd(&tally[place + 1u], 1u);
            }
            continue;
        }
#endif
        add_limb(set_of(0u), l, word);
    }
}

fn kernel(at: Place, wg: Workgroup) {
    let stop = params.first + params.len;
    let own = wg.index * WG + at.lid;
#ifdef reads_partials
    clear_tally(at);
    workgroupBarrier();
    let window = LOWEST;
    let sum = fold_states(params.first, stop, own, params.groups * WG);
#else
    let window = first_window(params.first + own * PER_VECTOR, stop, at);
    let sum = fold_range(params.first, stop, own, params.groups * WG, window);
#endif
    let partial = workgroup_reduce(sum, at, wg);

    // A lone workgroup has nobody to meet.
    if params.own.tickets == 1u {
        conclude(0u, true, partial, params.count, at);
        return;
    }

    let is_complete = publish_all(partial, params.own.slot + wg.index, at);
    if at.lid == 0u {
        is_last = select(0u, 1u, is_complete);
    }
    if workgroupUniformLoad(&is_last) == 0u {
        return;
    }
    storageBarrier();
#ifdef reads_partials
    clear_tally(at);
#else
    clear_limbs(at);
#endif
    workgroupBarrier();

    // Windows like this workgroup's own meet in registers, others go to the limbs.
    var acc = identity();
    acc.tag = window;
    for (var begin = 0u; begin < params.own.tickets; begin += WG) {
        if at.lid == 0u {
            atomicStore(&more, 0u);
        }
        for (var word = at.lid; word < 32u; word += WG) {
            atomicStore(&spilled[word], 0u);
        }
        workgroupBarrier();
        let i = begin + at.lid;
        if i < params.own.tickets {
            let other = collect(i);
            if (other.tag & SPILLED) != 0u {
                atomicOr(&spilled[at.lid >> 5u], 1u << (at.lid & 31u));
                atomicStore(&more, 1u);
            }
            if (other.tag & WINDOW) == window {
                acc = combine(acc, other);
            } else {
                spill(other);
                acc.tag |= (other.tag & ~WINDOW) | SPILLED;
            }
        }
        workgroupBarrier();
        add_extras(begin, at);
        workgroupBarrier();
    }
    let total = workgroup_reduce(acc, at, wg);
    if at.lid == 0u {
        reset_tickets();
    }
    conclude(0u, true, total, params.count, at);
}
