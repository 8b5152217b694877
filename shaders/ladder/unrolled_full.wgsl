// unrolled-full: every step of the tree is written out, for the workgroup size of the pipeline.
//
// The loads are those of first-add. The tree, in lib/workgroup/unrolled_tree.wgsl, has no loop: a line for 1024
// invocations, one for 512, and so on down to 2, each a step behind an `if` on WG.
//
//     if WG >= 512u { … + 256 … }       WG = 128:   removed
//     if WG >= 256u { … + 128 … }                   removed
//     if WG >= 128u { … +  64 … }                   kept
//
// csc367 does this with a C++ template and a `switch` over ten block sizes on the host. WGSL has no
// templates, but `override WG` serves the same purpose: its value is set when the pipeline is created, the
// driver compiles after that, and conditions on it are decided at compile time. One text serves every size.
//
// What it fixes over unrolled-last: the remaining loop, with its counter, its compare and its branch. In WGSL
// there is slightly more to gain than in CUDA. To stop endless loops, naga gives each loop of a checked
// module a counter of 64 bits; and a slot index with a constant distance is cheaper to clamp to the array.
// What it does not fix: the barriers. The documents drop them for the last six steps, which WGSL does not
// allow (see unrolled-last), so this rung has log2(WG) of them, as many as first-add less one.
//
// What is still wrong: two loads per invocation, then a tree. However cheap its steps get, the memory waits.
//
// From csc367 attempt 6, and the note on templates in tga 06: 0.381 ms, 43.996 GB/s, 1.41 times attempt 5.
// Half of the 86.4 GB/s that the slides compute for a card of the time.
// Today: still worth having. An H200 takes 45 µs for 2^24 floats where first-add takes 62 and unrolled-last,
// with its subgroup finish, 54 (docs/results). Each removed loop saves a bound counter and a branch, and a
// workgroup this short-lived does little else.
#import lib/grid/entry
#import shared/load
#import lib/workgroup/unrolled_tree
#import shared/store

fn kernel(at: Place, wg: Workgroup) {
    let i = wg.index * 2u * WG + at.lid;
    let pair = combine(load_or_identity(i), load_or_identity(i + WG));

    let sum = unrolled_tree(pair, at);
    if at.lid == 0u {
        store(wg.index, sum);
    }
}
