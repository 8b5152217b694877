// most: the largest count in a table; and, when that is known, the lowest key that has it.
//
// The second dispatch frees all places: the next time that the operation is recorded, the table is as new.
#import io

@group(0) @binding(7) var<storage, read_write> table: array<vec2<u32>>;

var<workgroup> most: atomic<u32>;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    if lid == 0u {
        atomicStore(&most, 0u);
    }
    workgroupBarrier();
    let number = atomicLoad(&state[0]);
    var own = 0u;
    for (var at = workgroup.x * WG + lid; at <= params.room; at += params.groups * WG) {
        let place = table[at];
        if params.round == 0u {
            own = max(own, place.y);
        } else if place.y > 0u {
            // The lowest key has the highest complement.
            own = max(own, select(0u, ~(place.x - 1u), place.y == number));
            table[at] = vec2(0u);
        }
    }
    atomicMax(&most, own);
    workgroupBarrier();
    if lid == 0u {
        atomicMax(&state[params.round], atomicLoad(&most));
    }
}
