// interleaved-strided: the additions of interleaved-modulo, done by consecutive invocations.
//
// Instead of asking "is my slot one of those that add?", invocation i takes the i-th slot that adds: 2 · s ·
// i. The tree does not change; only the invocations that work do.
//
//     slot       0     1     2     3     4     5     6     7
//     s = 1      0 <-- 1     2 <-- 3     4 <-- 5     6 <-- 7     invocations 0 1 2 3
//     s = 2      0 <-------- 2           4 <-------- 6           invocations 0 1
//     s = 4      0 <-------------------- 4                       invocation 0
//
// What it fixes over interleaved-modulo: both halves of its cost. The active invocations are 0 … k - 1, so
// whole subgroups are busy or idle, and idle ones only wait at the barrier. A subgroup diverges in the last
// steps alone, when fewer values are left than it has lanes. The remainder has become a multiplication.
//
// What is still wrong is new: bank conflicts. Workgroup memory on most GPUs has 32 banks, and word k is in
// bank k mod 32. If lanes of one instruction access different words of one bank, these accesses are served
// one after the other. Consecutive lanes now access words that are 2s apart. For 32 lanes, 32-bit values and
// WG = 256:
//
//     s                              1    2    4    8   16   32   64  128
//     active lanes in a subgroup    32   32   32   16    8    4    2    1
//     banks they share              16    8    4    2    1    1    1    1
//     times each access is done      2    4    8    8    8    4    2    1
//
// The middle steps take eight times as long as they need; with 1024 invocations the worst takes 32 times. And
// half of the invocations still never add.
//
// From tga 03, which publishes no figure, and csc367 attempt 2: 3.456 ms, 4.854 GB/s, 2.33 times attempt 1.
// Today: the banks are there as before. A step of conflicts costs tens of cycles, though, and a load from
// storage hundreds, so expect less of a gap to `sequential` than the documents saw, and more with a larger
// WG.
#import shared/load
#import shared/store

var<workgroup> tile: array<Acc, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let group = group_index(workgroup);
    tile[lid] = load_or_identity(group * WG + lid);
    workgroupBarrier();

    for (var s = 1u; s < WG; s *= 2u) {
        let slot = 2u * s * lid;
        if slot < WG {
            tile[slot] = combine(tile[slot], tile[slot + s]);
        }
        workgroupBarrier();
    }

    if lid == 0u {
        store(group, tile[0]);
    }
}
