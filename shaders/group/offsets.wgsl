// offsets: scans the pair counts of each workgroup and part into first places. The last entry is the number of all pairs.
//
//     counts 2 2 2 2  →  places 0 2 4 6 8
//
// Reads and writes one word per workgroup and part. One workgroup does it, four words per invocation at a time. Cost: ten barriers for 4096 words.
#import lib/grid/entry
#import group/shared/io
#import group/shared/parted_pairs
#import lib/workgroup/sum_before

var<workgroup> before: u32;

fn kernel(at: Place, wg: Workgroup) {
    let count = PARTS * params.shares;
    var place = 0u;
    for (var first = 0u; first < count; first += 4u * WG) {
        let own = first + 4u * at.lid;
        let numbers = vec4(
            #for k in 0..4: select(0u, offsets[min(own + $(k)u, count)], own + $(k)u < count),
        );
        let sum = numbers.x + numbers.y + numbers.z + numbers.w;
        var next = place + sum_before(sum, at.lid);
#for k in 0..4
        if own + $(k)u < count {
            offsets[own + $(k)u] = next;
        }
        next += numbers[$k];
#end
        if at.lid == WG - 1u {
            before = next;
        }
        place = workgroupUniformLoad(&before);
    }
    if at.lid == 0u {
        offsets[count] = place;
    }
}
