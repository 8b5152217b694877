// length: applies a count on the GPU, which says how many elements are valid.
//
// The dispatches are planned for the longest input. Before them, this one copies the parameters of every dispatch from a template, and shortens
// the range of items to those below the count. No other kernel depends on the count: workgroups without items contribute the identity.
//
// Each invocation writes the parameters of one dispatch. Nothing needs a reset, because the templates do not change.

struct Job {
    // The position of the count in its binding, in words.
    at: u32,
    // The largest count.
    most: u32,
    // The number of dispatches that follow.
    passes: u32,
}

@group(0) @binding(0) var<storage, read> templates: array<u32>;
@group(0) @binding(1) var<storage, read_write> parameters: array<u32>;
@group(0) @binding(2) var<uniform> job: Job;
@group(0) @binding(3) var<storage, read> counted: array<u32>;

// Invocations in a workgroup.
override WG: u32 = 64;
// Words of a dispatch's parameters, and words from one dispatch's parameters to the next.
override WORDS: u32;
override STRIDE: u32;

@compute @workgroup_size(WG)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= job.passes {
        return;
    }
    let base = id.x * STRIDE;
    for (var k = 0u; k < WORDS; k++) {
        parameters[base + k] = templates[base + k];
    }
    // Behind the parameters a template has the places of three of them: the number of items covered, the position
    // of the first one, and the total count. What a dispatch lacks has a place that nobody reads.
    let len = base + templates[base + WORDS];
    let index = templates[base + templates[base + WORDS + 1u]];
    let count = min(counted[job.at], job.most);
    parameters[len] = min(templates[len], max(count, index) - index);
    parameters[base + templates[base + WORDS + 2u]] = count;
}
