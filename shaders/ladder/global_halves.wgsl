// global-halves: halving in storage as in global-adjacent, but the partner is half the length away.
//
// Invocation i combines item i with item i + half, where half is the number of results, rounded up. When the
// length is odd the last invocation finds no partner and passes its item on.
//
//     items         0   1   2   3   4   5   6           7 items, 4 results
//     invocation 0  0 <------------ 4
//     invocation 1      1 <------------ 5
//     invocation 2          2 <------------ 6
//     invocation 3              3                       combined with the identity
//
// What it fixes over global-adjacent: neighbouring lanes now read neighbouring words, with both instructions.
// A subgroup of 32 loads 128 consecutive bytes and uses all of them. This is coalescing, the first rule of
// GPU memory: what matters is which addresses the lanes of one instruction touch together, not which
// addresses one lane touches over time. A CPU programmer's instinct (keep each thread's data together) is
// exactly wrong here.
//
// The price is order: far items are combined first, so the operator must be commutative. Sums, products,
// minima and maxima are. Nearly every later rung needs this, too.
//
// What is still wrong: everything else. It moves 3n items instead of n and needs log2(n) dispatches, because
// every value goes to storage and back between two additions. The next rungs keep values on the chip.
//
// From opencl version 1 (its task 1), which stops at 64 values: 4.088 ms in its kernels, 7.93 times one CPU
// thread; version 0 took 6.376 ms.
// Today: expect a smaller gap than those two figures show. A cache that keeps a line for a few hundred cycles
// already repairs the half-used reads of global-adjacent; what remains is twice as many requests to that
// cache.
#import shared/load
#import shared/store

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let i = group_index(workgroup) * WG + lid;
    // As in global-adjacent, `params.groups` is the number of results: the half.
    store(i, combine(load_or_identity(i), load_or_identity(i + params.groups)));
}
