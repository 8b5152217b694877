// sequential: the upper half of the values is added onto the lower half, until one is left.
//
// The loop runs the other way: s starts at WG / 2 and is halved. Invocation i adds slot i + s onto slot i, as
// long as i < s.
//
//     slot       0     1     2     3     4     5     6     7
//     s = 4     0+4   1+5   2+6   3+7                            invocations 0 1 2 3
//     s = 2     0+2   1+3                                        invocations 0 1
//     s = 1     0+1                                              invocation 0
//
// What it fixes over interleaved-strided: the bank conflicts. Neighbouring lanes read neighbouring words, in
// both operands of every step, so 32 lanes use 32 banks. Divergence stays as small as it was: a subgroup is
// split only in the last steps, when fewer values are left than it has lanes. This is global-halves again, on
// the chip, and it needs a commutative operator for the same reason.
//
// What is still wrong:
//   * Half of the invocations never add. They load one element each and then wait at log2(WG) barriers.
//   * The tree costs the same number of steps however little each invocation brought. For WG = 256 a
//     workgroup passes 9 barriers for 1 KiB of input.
//   * One load per invocation. To keep a memory busy, the bytes in flight must equal its bandwidth times its
//     latency: 4 TB/s at some 600 ns need 2.4 MB in flight at all times. A core that holds 2048 invocations
//     with four bytes each has 8 KiB in flight, and 132 such cores have 1.1 MB, while no invocation is in the tree.
//
// From tga 04, which publishes no figure, and csc367 attempt 3: 1.722 ms, 9.741 GB/s, 2.01 times attempt 2.
// Today: the best tree that needs only workgroup memory. From here on, the work before the tree makes the
// difference. The library uses this tree on GPUs without subgroup operations.
#import shared/load
#import shared/store

var<workgroup> tile: array<Acc, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let group = group_index(workgroup);
    tile[lid] = load_or_identity(group * WG + lid);
    workgroupBarrier();

    for (var s = WG >> 1u; s > 0u; s >>= 1u) {
        if lid < s {
            tile[lid] = combine(tile[lid], tile[lid + s]);
        }
        workgroupBarrier();
    }

    if lid == 0u {
        store(group, tile[0]);
    }
}
