// first-add: each invocation loads two elements and makes the first addition before the tree begins.
//
// In `sequential` half of the invocations load one element and never add. So let half as many workgroups do
// the work: each invocation loads element i and element i + WG, adds them in a register, and only the sum
// goes to workgroup memory. The tree then runs as before.
//
//     input      0 1 2 3 4 5 6 7 | 8 9 a b c d e f      WG = 8: sixteen elements per workgroup
//     register   0+8 1+9 2+a 3+b 4+c 5+d 6+e 7+f
//     tree       8 -> 4 -> 2 -> 1
//
// What it fixes:
//   * The tree is paid once for 2 · WG elements instead of once for WG: half the barriers per element.
//   * Two loads do not depend on each other, so both are on their way at once: twice the bytes in flight.
//   * There are half as many workgroups to start, and half as many partial results.
// The second element is WG away, and not the next one, so lanes of one instruction still read neighbouring
// words. (Compare interleaved-modulo-pair, which also loads two, but next to each other and without the
// register.)
//
// What is still wrong: the tree still has log2(WG) steps with a barrier each, and in the second of them half
// of the invocations are idle again. Why stop at two loads? `grid-stride` does not.
//
// From tga 05, which publishes no figure but calls the gain important, and csc367 attempt 4: 0.965 ms,
// 17.377 GB/s, 1.78 times attempt 3. Nearly a factor of two, as one expects where the cost is the tree.
// The documents' lengths are multiples of 2 · WG. Here the second load is guarded like the first.
// Today: on a large GPU the gain should again be near two, since the rung doubles the bytes in flight, which
// count there, and halves the barriers per element.
#import shared/load
#import shared/store

var<workgroup> tile: array<Acc, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let group = group_index(workgroup);
    let i = group * 2u * WG + lid;
    tile[lid] = combine(load_or_identity(i), load_or_identity(i + WG));
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
