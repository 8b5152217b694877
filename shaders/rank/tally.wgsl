// tally: how often each key occurs.
//
// A table has half as many places again as there are elements. A hash says where a key is looked for; if another one is there, it is at
// the next place, or at the one after. Whoever finds a free place first takes it, and no order of elements changes a count.
//
// Additions to one place wait for each other, and where it matters which element is the most frequent, some are frequent. So a workgroup
// counts the first keys that it meets in its own memory: a thousand of them, and among these, most likely, all that are frequent.
#import io
#import count_each
#import keys
#import hash

// The key at each place and one, so that 0 is free; and the number of elements with it. The key whose next one is 0 has the place behind
// all others. Two bindings hold more than one.
@group(0) @binding(7) var<storage, read_write> names: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> times: array<atomic<u32>>;

const FREE: u32 = 0u;
// Places in workgroup memory, besides the one for that key.
const PLACES: u32 = 1024u;
const PLACE_BITS: u32 = 10u;

var<workgroup> own_names: array<atomic<u32>, PLACES + 1u>;
var<workgroup> own_times: array<atomic<u32>, PLACES + 1u>;

// The place of a key, which is taken now if the key has none.
fn place_of(name: u32) -> u32 {
    if name == FREE {
        return params.room;
    }
    var at = hash(name) % params.room;
    var found = atomicLoad(&names[at]);
    while found != name {
        if found == FREE {
            let taken = atomicCompareExchangeWeak(&names[at], FREE, name);
            found = select(taken.old_value, name, taken.exchanged);
        } else {
            at = select(at + 1u, 0u, at + 1u == params.room);
            found = atomicLoad(&names[at]);
        }
    }
    return at;
}

fn count(key: Key) {
    let name = key + 1u;
    let own = select(hash(name) >> (32u - PLACE_BITS), PLACES, name == FREE);
    var found = atomicLoad(&own_names[own]);
    if found == FREE {
        let taken = atomicCompareExchangeWeak(&own_names[own], FREE, name);
        found = select(taken.old_value, name, taken.exchanged);
    }
    if found == name {
        atomicAdd(&own_times[own], 1u);
    } else {
        atomicAdd(&times[place_of(name)], 1u);
    }
}

fn count4(keys: Keys) {
    count(keys.x);
    count(keys.y);
    count(keys.z);
    count(keys.w);
}

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    for (var own = lid; own <= PLACES; own += WG) {
        atomicStore(&own_names[own], FREE);
        atomicStore(&own_times[own], 0u);
    }
    workgroupBarrier();
    count_each(workgroup.x, lid);
    workgroupBarrier();
    for (var own = lid; own <= PLACES; own += WG) {
        let number = atomicLoad(&own_times[own]);
        if number > 0u {
            atomicAdd(&times[place_of(atomicLoad(&own_names[own]))], number);
        }
    }
}
