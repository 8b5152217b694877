// storage: counts directly in storage, a run of equal keys at once.
//
// For many bins and little workgroup memory. An addition to storage moves a sector of the cache, 32 bytes on most GPUs, as much as reading
// eight keys. Slices of bins (histogram/workgroup.wgsl) read the keys once per slice: with more than eight slices, this kernel is better.
//
// Its weakness is contention: additions to one address are serialized. So an invocation keeps its last bin and the length of its run, and
// adds when another bin comes: equal keys take one addition per invocation, sorted keys hardly more. A few distinct values in random
// order remain slow.
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
