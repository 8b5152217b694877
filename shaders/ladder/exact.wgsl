// exact: sums without rounding, by integers alone: the same bits on every GPU, in any order.
//
// Every earlier rung rounds at each addition, so its last digits depend on the tree: on the size of
// workgroups, the width of subgroups and the plan. But a float is an integer of 24 bits times a power of two,
// and integers add without rounding. As an integer in units of 2^-149, the smallest subnormal, every f32 has
// at most 277 bits. A sum of 2^32 of them has 32 more, and the sign takes one more: 310 bits, ten words of
// 32. Such a sum cannot overflow, and it is rounded once, at the end.
//
// Ten additions with carry for each element would take far longer than loading it. Three steps avoid them:
//
//     1. a window in registers    28 exponents of 255. It holds nearly all elements of real data, which take two shifts and
//                                 two additions each, without carries (see exact/shared/one_word.wgsl)
//     2. limbs of the workgroup   eleven words in workgroup memory, for elements outside the window: atomics add each element
//                                 at the limb of its exponent, and the result of `atomicAdd` shows the carry (limbs.wgsl)
//     3. the combination          windows are combined like the sums of `single-pass`: by a tree, a slot per workgroup, and the
//                                 last workgroup to finish. Only a workgroup that used its limbs publishes them, too
//
// The invocations of a workgroup begin with the same window. They choose it by some of their first elements:
// it reaches four to seven exponents above the largest of them and twenty or more below. Windows start at
// multiples of four, so that most workgroups choose the same one. An invocation that finds a batch outside
// its window, but inside another one, adds its sum to the limbs and takes the other window: data sorted by
// magnitude pass through a few windows. Zeros fit every window and add nothing.
//
// Why not floats? The classic method for exact sums computes rounding errors by float subtractions. WGSL
// permits a compiler to rearrange those, and Metal's does. Rearranging integers does not change their sum.
//
// What it fixes over single-pass: the last bits. Two GPUs, two tunings, two orders of the elements, one file
// or ten pieces of it give the same bits: those of the true sum, rounded once. And when large numbers cancel,
// the remainder is exact.
//
// Its price is arithmetic: a dozen integer operations per element. Large GPUs do them while they wait for
// memory; software adapters do not wait for memory. The end is longer, too: limbs, digits and the rounding
// take some microseconds, however short the input is.
//
// Beyond the documents. CUB's reproducible sum (RFA) splits floats into bins by float arithmetic: the same
// bits on one vendor's GPUs and one version, not correctly rounded, at 1.4 times the time of its plain sum.
// Today: on an H200 at 2^28 elements of ordinary data 1.08 to 1.15 times the time of `single-pass`, at 2^24
// 1.6 to 2 times.
#import entry
#import exact/fold
#import exact/states
#import exact/conclude
#import exact/reduce
#import partials

struct Own {
    // The index of this dispatch's first partial in the partials buffer.
    slot: u32,
    // Workgroups of all dispatches that share the ticket counter.
    tickets: u32,
    // Always zero, but no compiler knows that: it creates a dependency that cannot be optimized away.
    zero: u32,
}

// Whether this workgroup is the last one: 1 or 0. Written by invocation 0, read by all.
var<workgroup> is_last: u32;

#ifdef reads_partials
// Words of a workgroup's limbs and of its tally in the partials buffer, after all slots.
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

// The bits that the exchanges of all invocations returned, masked by zero: always zero, but no compiler knows
// that.
var<workgroup> found: atomic<u32>;
// The slots whose workgroups also published limbs, one bit each, and whether there is any. (A second array sized by `WG` is more than
// naga 30 resolves.)
var<workgroup> spilled: array<atomic<u32>, 32>;
var<workgroup> more: atomic<u32>;
// Whether this workgroup has.
var<workgroup> is_spilled: u32;

// Publishes the limbs, if they hold anything, and then the window. Returns to invocation 0 whether all
// workgroups have published.
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
        // The digits now include the window. It is published after them, because it depends on the values
        // they replaced.
        share = identity();
        share.tag = partial.tag | atomicLoad(&found);
    }
    return at.lid == 0u && publish(slot, share);
}

// Adds the published digits of the workgroups of slots from `begin` on to the limbs of this one, one digit per invocation.
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
            // Both counts have two words. The upper words take the carries of the lower words.
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
    let partial = reduce_all(sum, at, wg);

    // A single workgroup needs no partials.
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

    // Partials with this workgroup's window are combined in registers; all others are added to the limbs.
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
    let total = reduce_all(acc, at, wg);
    if at.lid == 0u {
        reset_tickets();
    }
    conclude(0u, true, total, params.count, at);
}
