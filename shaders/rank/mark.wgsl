// mark: the bit of each element's key.
//
// A bitmap has a bit for each key that there is, 512 MiB for keys of 32 bits. If a binding cannot hold as much, keys are cut into
// slices, and each slice takes a read of all elements.
//
// Bits lie all over memory, so an element moves a sector of the cache. A bit that is set already is only read: atomic operations on one
// word wait for each other, as those of equal elements would.
#import io
#import count_each
#import keys

@group(0) @binding(7) var<storage, read_write> bits: array<atomic<u32>>;

fn mark(key: u32) {
    // A word of an earlier slice wraps around to a large number.
    let word = (key >> 5u) - params.round * params.room;
    if word < params.room {
        let bit = 1u << (key & 31u);
        if (atomicLoad(&bits[word]) & bit) == 0u {
            atomicOr(&bits[word], bit);
        }
    }
}

fn count(key: Key) {
    mark(key);
}

fn count4(keys: Keys) {
    mark(keys.x);
    mark(keys.y);
    mark(keys.z);
    mark(keys.w);
}

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    count_each(workgroup.x, lid);
}
