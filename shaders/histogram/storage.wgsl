// storage: counts straight to storage, a run of equal keys at once.
//
// The kernel for many bins and little workgroup memory. An addition to storage moves a sector of the cache, 32 bytes on most GPUs, as
// much as reading eight keys. Cutting the bins into slices (histogram/workgroup.wgsl) instead reads the keys once for each slice: with more
// than eight slices that is the more expensive way, and this kernel the better one.
//
// Its weakness is contention: additions to one address are carried out one after the other. Keys that are all equal would
// all wait for each other, so an invocation keeps the bin it saw last and how often in a row, and
// adds only when another bin comes. All equal keys are then one addition an invocation, and so are sorted ones, nearly. What
// stays slow are few distinct values in random order.
//
// Beyond the documents.
#import io
#import keys
#import walk

// The bin seen last, and how often in a row.
var<private> run_bin: u32 = NOWHERE;
var<private> run_length: u32 = 0u;

fn end_run() {
    if run_bin < BINS {
        atomicAdd(&counts[run_bin], run_length);
    }
}

fn count(word: u32) {
    let bin = bin_of(word);
    if bin != run_bin {
        end_run();
        run_bin = bin;
        run_length = 0u;
    }
    run_length += 1u;
}

fn count4(words: vec4<u32>) {
    count(words.x);
    count(words.y);
    count(words.z);
    count(words.w);
}

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
