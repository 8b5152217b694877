// Kernels that run between the reductions of `halofold stress`, on other buffers or on theirs between two uses.
//
//   change   adds a number to every element, so that no result can be one from before
//   press    reads and writes places all over a large buffer, so that caches and memory are busy while workgroups meet
//   poison   overwrites all partials, so that one collected too early is not accidentally right
//
// In `press` two invocations may write one place: its contents are never read as a result.

struct Step {
    // `change`: the number that is added. `press`: the first place.
    number: u32,
    // Invocations in a row of workgroups.
    row: u32,
}

@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> step: Step;

// Words of the ticket counter in front of the partials, which stay (shaders/shared/partials.wgsl).
const TICKETS: u32 = 32u;
// Places that an invocation of `press` goes to, an odd number of words apart.
const PLACES: u32 = 16u;
const APART: u32 = 16411u;

@compute @workgroup_size(64)
fn change(@builtin(global_invocation_id) id: vec3<u32>) {
    let invocation = id.y * step.row + id.x;
    for (var i = 4u * invocation; i < min(4u * invocation + 4u, arrayLength(&words)); i++) {
        words[i] += step.number;
    }
}

@compute @workgroup_size(64)
fn press(@builtin(global_invocation_id) id: vec3<u32>) {
    let begin = step.number + PLACES * APART * id.x;
    for (var place = 0u; place < PLACES; place++) {
        let i = (begin + place * APART) % arrayLength(&words);
        words[i] = words[i] * 5u + 1u;
    }
}

@compute @workgroup_size(64)
fn poison(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= TICKETS && id.x < arrayLength(&words) {
        words[id.x] = 0x7ff5fcadu + id.x;
    }
}
