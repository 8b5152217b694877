// exact: sums without rounding, as integers: the same bits on every GPU, in any order.
//
// Every earlier rung rounds at each addition, so its last digits depend on the tree: on the size of workgroups, the width of subgroups and the plan.
// But a float is an integer of 24 bits times a power of two, and integers add without rounding. As an integer in units of 2^-149, the smallest
// subnormal, every f32 has at most 277 bits. A sum of 2^32 of them has 32 more, and the sign takes one more: 310 bits, ten words of
// 32. Such a sum cannot overflow, and it is rounded once, at the end.
//
// Ten additions with carry for each element would take far longer than loading it. Three steps avoid them:
//
//     1. a window in registers    23 exponents of 254. It holds nearly all elements of real data, which take a multiplication
//                                 and two additions each, without carries (exact/formats/single.wgsl). The sum itself is
//                                 four digits, with room for an element now and then that is up to 2^28 times smaller than
//                                 the window or 2^8 times larger (accumulator.wgsl)
//     2. limbs of the workgroup   eleven words in workgroup memory, for elements far from the window: atomics add each element
//                                 at the limb of its exponent, and the result of `atomicAdd` shows the carry (limbs.wgsl). Numbers of one
//                                 word go to 512 bins first, one for each sign and exponent, by one atomic each (bins.wgsl)
//     3. the combination          windows are combined like the sums of `single-pass`: in workgroup memory, a slot per workgroup, and the
//                                 last workgroup to finish. A workgroup that used its limbs adds them to one set for all
//
// All invocations begin with the same window. They choose it by the same 32 vectors, four at each of eight places in the input: it reaches two or
// three exponents above the largest element of them and about twenty below, and ends at a multiple of two, so that other dispatches often choose the
// same. An invocation that finds a third batch outside of its window moves to one that holds all those numbers, for the batches that follow: data
// sorted by magnitude pass through a few. What was summed in another window than the first goes to the limbs. Zeros fit every window and add nothing.
//
// Why not floats? The classic method for exact sums computes rounding errors by float subtractions. WGSL
// permits a compiler to rearrange those, and Metal's does. Rearranging integers does not change their sum. Floats help
// here only to say which multiple of 2^28 a sum is near to, and no rounding or rearranging changes that.
//
// What it fixes over single-pass: the last bits. Two GPUs, two tunings, two orders of the elements, one file or ten pieces of it give the same bits:
// those of the true sum, rounded once. And when large numbers cancel, the remainder is exact.
//
// Its price is arithmetic: a dozen operations per element. Large GPUs do them while they wait for
// memory; software adapters do not wait for memory. The end is longer, too: five words of each workgroup instead of one
// and the rounding take one or two microseconds, however short the input is, and limbs two more, if any are used.
//
// Beyond the documents. CUB's reproducible sum (RFA) splits floats into bins by float arithmetic: the same
// bits on one vendor's GPUs and one version, not correctly rounded, at 1.4 times the time of its plain sum.
// Today: on an H200, of ordinary data, 1.05 times the time of `single-pass` at 2^28 elements, and 1.2 times at 2^24.
#import lib/grid/entry
#ifdef strided
#import shared/exact/fold_apart
#else
#import shared/exact/fold
#endif
#import shared/io
#import <operator>
#import exact/far/*
#import <words>
#import lib/grid/partials
#import shared/exact/conclude
#import shared/exact/limbs
#import shared/exact/publish
#import shared/exact/reduce
#import shared/exact/states

struct Own {
    // The index of this dispatch's first partial in the partials buffer.
    slot: u32,
    // Workgroups of all dispatches that share the ticket counter.
    tickets: u32,
    // Always zero, but no compiler knows that: it creates a dependency that cannot be optimized away.
    zero: u32,
#ifdef strided
    // From an element to the next.
    stride: u32,
#endif
}

fn kernel(at: Place, wg: Workgroup) {
    let stop = params.first + params.len;
    let own = wg.index * WG + at.lid;
#ifdef strided
    var share = fold_apart(params.first, params.len, params.own.stride, own, params.groups * WG, at, wg);
#else
    var share = fold_range(params.first, stop, own, params.groups * WG, at, wg);
#endif
    let window = share.tag & WINDOW;
    // Once for the invocations of this workgroup, and then, in the last one, for all workgroups. A single workgroup needs no partials.
    var is_all = params.own.tickets == 1u;
    loop {
        let total = reduce_all(share, at);
        let tag = shared_tag(total, at);
        let has_spilled = (tag & SPILLED) != 0u;
        if has_spilled {
            empty_bins(at);
            workgroupBarrier();
        }
        if is_all {
            conclude(0u, 1u, total, tag, params.count, at);
            return;
        }
        publish_words(total, has_spilled, params.own.slot + wg.index, at);
        if workgroupUniformLoad(&is_last) == 0u {
            return;
        }
        share = collect_all(window, tag, at);
        is_all = true;
    }
}

// This invocation's share of all windows. Windows that are not this workgroup's, and the published limbs, are added to
// the limbs; those held what this workgroup has published itself.
fn collect_all(window: u32, tag: u32, at: Place) -> Acc {
    storageBarrier();
    if (tag & SPILLED) != 0u {
#ifdef reads_partials
        clear_tally(at);
#else
        clear_limbs(at);
        clear_bins(at);
#endif
        workgroupBarrier();
    }
    // Taken before the windows and used after them: both are on their way at the same time.
    let limb = take_limb(at.lid);
    var acc = identity();
    acc.tag = window;
    for (var i = at.lid; i < params.own.tickets; i += WG) {
        let other = collect_window(i);
        if (other.tag & WINDOW) == window {
            acc = carried(add(acc, other));
        } else {
            spill(other);
            acc.tag |= (other.tag & ~WINDOW) | SPILLED;
        }
    }
    add_limb_of_all(at.lid, limb);
    for (var i = at.lid + WG; i < 2u * LIMBS; i += WG) {
        add_limb_of_all(i, take_limb(i));
    }
    if at.lid == 0u {
        reset_tickets();
    }
#ifdef reads_partials
    collect_tally(at);
#endif
    return acc;
}
