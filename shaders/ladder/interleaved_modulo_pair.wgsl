// interleaved-modulo-pair: the tree of interleaved-modulo over twice as many slots; each invocation loads two
// neighbours.
//
// Invocation i fills slots 2i and 2i + 1, with the identity where the input has ended, and from then on owns
// slot 2i. In the first step every invocation adds its own two slots; then every second one adds, every
// fourth.
//
//     slot       0     1     2     3     4     5     6     7     four invocations
//     s = 1      0 <-- 1     2 <-- 3     4 <-- 5     6 <-- 7     invocations 0 1 2 3
//     s = 2      0 <-------- 2           4 <-------- 6           invocations 0 2
//     s = 4      0 <-------------------- 4                       invocation 0
//
// What it fixes over interleaved-modulo: no invocation idles in the first step, each has two loads in flight
// instead of one, and half as many workgroups cover the input. It takes any length.
//
// What is still wrong: the divergence and the `%`. New flaws come with the pair:
//   * The loads are strided, as in global-adjacent: each of the two instructions uses every other word.
//   * So are the slots. Workgroup memory is 32 banks wide on most GPUs, word k lies in bank k mod 32, and
//     words of one bank are served one after the other. Lanes that step by two words use 16 banks, two lanes
//     each: a conflict of two, in the filling and in every step until a subgroup has one active lane.
//   * The sum that each invocation could make in a register goes through workgroup memory: twice the memory
//     per workgroup (8 KiB for 1024 invocations and 32-bit values), so fewer workgroups fit on a core.
//
// From the exercise: 64-bit integers, 1024 invocations, any size, the CPU adds the partials. It publishes a
// curve over the size (figure 1) and counts the barriers itself: 11 for 1024 invocations, one per step. Its
// text lists the next rungs as improvements: no `%`, no divergence, sequential addresses, a first addition
// done explicitly, a special end for the last 32.
// One slip is not ported. In the exercise all invocations write slot 0 as the result, without a barrier after
// the last step, so an early invocation writes the sum of the first half. The result is right only if the
// first warp happens to write last. Here only invocation 0, which computed the sum, writes it.
#import shared/load
#import shared/store

var<workgroup> tile: array<Acc, 2u * WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let group = group_index(workgroup);
    let i = group * 2u * WG + 2u * lid;
    tile[2u * lid] = load_or_identity(i);
    tile[2u * lid + 1u] = load_or_identity(i + 1u);

    for (var s = 1u; s <= WG; s *= 2u) {
        // At the top of the loop the barrier also covers the filling: one barrier per step is enough.
        workgroupBarrier();
        if lid % s == 0u {
            tile[2u * lid] = combine(tile[2u * lid], tile[2u * lid + s]);
        }
    }

    if lid == 0u {
        store(group, tile[0]);
    }
}
