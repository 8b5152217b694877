// most: the largest count in a table; and, when that is known, the lowest key that has it.
//
// The second dispatch frees all places: the next time that the operation is recorded, the table is as new.
#import io

@group(0) @binding(7) var<storage, read_write> names: array<u32>;
@group(0) @binding(8) var<storage, read_write> times: array<u32>;

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
        let found = times[at];
        if params.round == 0u {
            own = max(own, found);
        } else if found > 0u {
            // The lowest key has the highest complement.
            own = max(own, select(0u, ~(names[at] - 1u), found == number));
            names[at] = 0u;
            times[at] = 0u;
        }
    }
    atomicMax(&most, own);
    workgroupBarrier();
    if lid == 0u {
        atomicMax(&state[params.round], atomicLoad(&most));
    }
}
