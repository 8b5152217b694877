// Booleans and integers of 8 and 16 bits become 32-bit integers, the only ones that WGSL has and the reductions read. Elements of lines that lie
// apart are put next to each other.
//
// Four bytes, or two halves of 16 bits, lie in one word of 32 bits, the first one in its lowest bits: WGSL's memory is
// little-endian. A photograph is uploaded as it lies in its file, which is a quarter of what it takes here; unpacking it on the host
// would cost the host a pass over memory and the bus four times the bytes.
//
// Each invocation writes whole words, one after the other at a distance of the whole launch. Neighbours write neighbouring
// words, so a subgroup's stores fill whole cache lines; that several of them load the same word costs little, as it is in the
// cache. The alternative, a word for each invocation, has stores that lie four words apart.
//
// `extractBits` of a signed number copies the highest bit that it takes, the sign, into all bits above: -1 in 8 bits is -1 in 32.
// Both bindings end where the elements do. The last word may hold fewer elements than fit; nothing reads the rest of it.

// Bits of an element in a word: 8, 16, or 32.
override BITS: u32;
// True: it has a sign.
override SIGNED: bool;
// True: it is a boolean; any byte but zero is true.
override TRUTH: bool;
// True: elements stay as wide as they are, two of 16 bits in a word.
override HALVES: bool;
// Dimensions in which elements are put in another order; 0 if they stay as they lie.
override DIMENSIONS: u32;

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> elements: array<u32>;
// Of each dimension the length and the stride in `words`, or in the elements there, the innermost one first.
@group(0) @binding(2) var<uniform> order: array<vec4<u32>, 34>;

// The place from which an element comes.
fn place(at: u32) -> u32 {
    if DIMENSIONS == 0u {
        return at;
    }
    var left = at;
    var found = 0u;
    for (var dimension = 0u; dimension < DIMENSIONS; dimension++) {
        let len = order[dimension].x;
        found += left % len * order[dimension].y;
        left /= len;
    }
    return found;
}

fn element(at: u32) -> u32 {
    let in_a_word = 32u / BITS;
    let word = words[at / in_a_word];
    let first_bit = at % in_a_word * BITS;
    if SIGNED {
        return bitcast<u32>(extractBits(bitcast<i32>(word), first_bit, BITS));
    }
    let bits = extractBits(word, first_bit, BITS);
    return select(bits, min(bits, 1u), TRUTH);
}

@compute @workgroup_size(64)
fn unpack(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let launched = workgroups.x * 64u;
    for (var at = id.x; at < arrayLength(&elements); at += launched) {
        if HALVES {
            // An odd number of them has no last one, and its place may be in no word.
            let second = min(place(2u * at + 1u), 2u * arrayLength(&words) - 1u);
            elements[at] = element(place(2u * at)) | (element(second) << 16u);
        } else {
            elements[at] = element(place(at));
        }
    }
}
