// storage: counts directly in storage, a run of equal keys at once.
//
// This is the kernel for many bins and little workgroup memory. An addition to storage moves a sector of the
// cache, 32 bytes on most GPUs, as much as reading eight keys. Cutting the bins into slices
// (histogram/workgroup.wgsl) instead reads the keys once per slice. With more than eight slices that is more
// expensive, and this kernel is better.
//
// Its weakness is contention: additions to one address are performed one after the other. If all keys are
// equal, all additions wait for each other. So an invocation keeps its last bin and the length of the current
// run, and adds only when another bin comes. If all keys are equal, this takes one addition per invocation;
// sorted keys take hardly more. A few distinct values in random order remain slow.
//
// Beyond the documents.
#import io
#import bins
#import walk

// The last bin, and the length of its run.
var<private> run_bin: u32 = NOWHERE;
var<private> run_length: u32 = 0u;

fn end_run() {
    if run_bin < COUNTERS {
        atomicAdd(&counts[run_bin], run_length);
    }
}

#ifdef strided
// The walk finds the bins.
fn count(bin: u32) {
#else
fn count(word: u32) {
    let bin = bin_of(word);
#endif
    if bin != run_bin {
        end_run();
        run_bin = bin;
        run_length = 0u;
    }
    run_length += 1u;
}

#ifndef strided
fn count4(words: vec4<u32>) {
    count(words.x);
    count(words.y);
    count(words.z);
    count(words.w);
}
#endif

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    let group = group_index(workgroup);
    if group < params.groups {
        walk(group * WG + lid, params.groups * WG);
        end_run();
    }
}
