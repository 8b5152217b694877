// differ: in how many words two buffers differ, and which is the first.
//
// Grids of hundreds of megabytes are compared where they are; only two words come back for each window that a binding
// holds. Every invocation counts its own differences and adds them once. The first word is told by how many are left
// from there on: the largest such number belongs to the first difference, and zero, with which the counts start, means
// that there is none.

struct Part {
    // Words to compare.
    words: u32,
    // Where their two counts go.
    slot: u32,
}

@group(0) @binding(0) var<storage, read> found: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> part: Part;
@group(0) @binding(3) var<storage, read> expected: array<u32>;

override WG: u32 = 64u;
override GROUPS: u32 = 1024u;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    var different = 0u;
    var left = 0u;
    for (var i = workgroup.x * WG + lid; i < part.words; i += GROUPS * WG) {
        if found[i] != expected[i] {
            different += 1u;
            left = max(left, part.words - i);
        }
    }
    if different != 0u {
        atomicAdd(&counts[part.slot], different);
        atomicMax(&counts[part.slot + 1u], left);
    }
}
