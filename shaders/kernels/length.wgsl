// length: how many elements there are is known on the GPU only.
//
// An earlier pass has counted something, and its count says how much of the input is valid. The dispatches have been planned
// for the longest input; what they cover stands in their parameters. So one tiny dispatch in front of them copies every
// dispatch's parameters from a template and shortens what they say: items from `index` on, as far as the count
// reaches. No other kernel knows of it. Workgroups that are left without items contribute the identity.
//
// One invocation for each dispatch that follows. Nothing is reset: templates stay as they are.

struct Job {
    // Where the count is, in words from the start of its binding.
    at: u32,
    // The most elements that there can be.
    most: u32,
    // How many dispatches follow.
    passes: u32,
}

@group(0) @binding(0) var<storage, read> templates: array<u32>;
@group(0) @binding(1) var<storage, read_write> parameters: array<u32>;
@group(0) @binding(2) var<uniform> job: Job;
@group(0) @binding(3) var<storage, read> counted: array<u32>;

// Invocations in a workgroup.
override WG: u32 = 64;
// Words of a dispatch's parameters, and from one's to the next one's.
override WORDS: u32;
override STRIDE: u32;
// Which words say how many items it covers, the position of the first one, and how many there are in all (shared/io.wgsl).
const LEN: u32 = 1u;
const INDEX: u32 = 2u;
const COUNT: u32 = 3u;

@compute @workgroup_size(WG)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= job.passes {
        return;
    }
    let base = id.x * STRIDE;
    for (var k = 0u; k < WORDS; k++) {
        parameters[base + k] = templates[base + k];
    }
    let count = min(counted[job.at], job.most);
    let index = templates[base + INDEX];
    parameters[base + LEN] = min(templates[base + LEN], max(count, index) - index);
    parameters[base + COUNT] = count;
}
