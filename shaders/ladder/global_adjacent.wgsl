// global-adjacent: each invocation adds two neighbours in storage; every halving is a separate dispatch.
//
// The plainest parallel reduction. Invocation i combines items 2i and 2i + 1 and writes item i of a second
// buffer. Then the host swaps the two buffers and dispatches half as many invocations, until the few values
// that are left are not worth a dispatch and the CPU adds them.
//
//     dispatch 1     0   1   2   3   4   5   6   7      reads n, writes n/2
//                     \ /     \ /     \ /     \ /
//     dispatch 2       0       1       2       3        reads n/2, writes n/4
//                       \_____/         \_____/
//     dispatch 3           0               1            and so on
//
// No invocation waits for another: there is no workgroup memory and no barrier. The end of a dispatch acts as
// a barrier, and it is the only one that synchronizes the whole grid. Neighbours are combined in order, so
// the tree would also be right for an operator that is associative but not commutative, such as joining
// strings.
//
// What is wrong with it is the memory traffic. Reads add up to n + n/2 + n/4 + … = 2n, and writes to n/2 +
// n/4 + … = n. This is three times the n that a sum must read, so the kernel reaches at most a third of the
// memory's speed. And there are log2(n) dispatches, each of which waits for the previous one; the last dozen
// cost more to start than to run. A smaller flaw: lane k loads word 2k with one instruction and word 2k + 1
// with the next. Each of the two instructions touches every cache line of the range and uses half of its
// words.
//
// From opencl version 0, on 33 554 432 integers: 6.376 ms in its kernels, 6.14 times as fast as one CPU
// thread.
// Today: a cache stands between the cores and the memory (the GTX 260 of the document had none for such
// loads), so the second instruction finds the lines that the first one fetched, and once a half fits into the
// last-level cache its round trip is nearly free. Large inputs still pay for 3n, small ones for the
// dispatches.
#import shared/load
#import shared/store

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let i = group_index(workgroup) * WG + lid;
    // An odd item at the end has no neighbour and is combined with the identity. `params.groups` counts
    // results here, so `store` drops what invocations beyond the last pair computed.
    store(i, combine(load_or_identity(2u * i), load_or_identity(2u * i + 1u)));
}
