// mark: the bit of each element's key.
//
// A bitmap has a bit for each key that there is, 512 MiB for keys of 32 bits. If a binding cannot hold as much, keys are cut into
// slices, and each slice takes a read of all elements.
//
// Bits lie all over memory, so an element moves a sector of the cache. A bit that is set already is only read: atomic operations on one
// word wait for each other. Reads of one word do so, too, if all workgroups have few different elements. So each remembers a thousand of
// those that it has marked.
#import io
#import count_each
#import keys
#import hash

@group(0) @binding(7) var<storage, read_write> bits: array<atomic<u32>>;

const PLACES: u32 = 1024u;
const PLACE_BITS: u32 = 10u;

// Keys that are marked. A key is at the place that its hash begins with.
var<workgroup> marked: array<atomic<u32>, PLACES>;

fn place_of(key: u32) -> u32 {
    return hash(key) >> (32u - PLACE_BITS);
}

fn mark(key: u32) {
    let place = place_of(key);
    // A word of an earlier slice wraps around to a large number.
    let word = (key >> 5u) - params.round * params.room;
    if (word >= params.room) | (atomicLoad(&marked[place]) == key) {
        return;
    }
    let bit = 1u << (key & 31u);
    if (atomicLoad(&bits[word]) & bit) == 0u {
        atomicOr(&bits[word], bit);
    }
    atomicStore(&marked[place], key);
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
    for (var place = lid; place < PLACES; place += WG) {
        // A key that belongs to another place.
        atomicStore(&marked[place], select(0u, 1u, place_of(0u) == place));
    }
    workgroupBarrier();
    count_each(workgroup.x, lid);
}
