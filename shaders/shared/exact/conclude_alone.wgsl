// The end of a sum that one workgroup computes alone.
#import lib/grid/entry
#import <operator>
#import exact/far/*
#import shared/exact/limbs
#import shared/exact/reduce
#import shared/exact/conclude

// Reduces the sums of all invocations, of `n` elements together, and stores the result or state in this slot. All
// invocations take part; nothing is stored unless `works`.
fn conclude_alone(slot: u32, works: bool, own: Acc, n: u32, at: Place) {
    let total = reduce_all(own, at);
    let tag = shared_tag(total, at);
    if (tag & SPILLED) != 0u {
        empty_bins(at);
        workgroupBarrier();
    }
    conclude(slot, works, total, tag, n, at);
}
