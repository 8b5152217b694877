// tile: a small workgroup reduces a large tile; each invocation takes several slots in every step.
//
// So far a workgroup had as many slots as invocations. Here 64 invocations fill a tile of 1024 slots, sixteen
// each, and fold the upper half onto the lower half as in `sequential`. Where a step has more additions than
// there are invocations, an inner loop goes over them in blocks of WG.
//
//     tile       |    0 |    1 |    2 |  ... |    7 |    8 |  ...  |   15 |      blocks of WG = 64 slots
//     s = 512     0+8    1+9    2+10   ...    7+15                               eight blocks
//     s = 256     0+4    1+5    2+6    3+7                                       four
//     s = 128     0+2    1+3                                                     two
//     s = 64      0+1                                                            one
//     s = 32, 16, 8, 4, 2, 1: inside a block, fewer and fewer invocations
//
// What it fixes over global-halves, its predecessor in the document: ten halvings happen on the chip, in one
// dispatch. The input is read once and one result per 1024 elements is written. Compared with `sequential`:
// sixteen loads per invocation instead of one, and 1024 elements share one tree.
//
// What is still wrong, and stays:
//   * `if k + lid < s` is tested for every addition, but decides something only in the last six steps.
//   * Every element is written to workgroup memory, where a register would be enough (tile-two-loads).
//   * 4 KiB of workgroup memory serve only 64 invocations. A GTX 260 core had 16 KiB: room for three workgroups,
//     192 of 1024 possible invocations, which are too few to hide the latency of memory.
//
// From opencl version 2 (its task 2): 5.239 ms in the kernels, 8.65 times one CPU thread. The kernel is
// slower than version 1's 4.088 ms, for the reasons above; the total is a little better, as it needs
// far fewer dispatches. The document's tile is a constant. Here it is `override TILE`, a power of two,
// and any length is accepted.
// Today: cores hold 64 KiB and more, so the tile limits occupancy less. The many small steps and their tests
// are still slower than `vectorized`, which keeps the same sums in registers.
#import shared/load
#import shared/store

// Slots in the tile: a power of two.
override TILE: u32 = 1024u;

var<workgroup> tile: array<Acc, TILE>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let group = group_index(workgroup);
    for (var k = lid; k < TILE; k += WG) {
        tile[k] = load_or_identity(group * TILE + k);
    }
    workgroupBarrier();

    for (var s = TILE >> 1u; s > 0u; s >>= 1u) {
        for (var k = 0u; k < s; k += WG) {
            if k + lid < s {
                tile[k + lid] = combine(tile[k + lid], tile[k + lid + s]);
            }
        }
        workgroupBarrier();
    }

    if lid == 0u {
        store(group, tile[0]);
    }
}
