// Sums over the invocations before each, and over all, through workgroup memory. A step adds up four: 256 invocations take four steps.
#import io
#import entry
#import places_struct

var<workgroup> sums: array<vec4<u32>, WG>;

fn order_in_group(at: Place, wg: Workgroup) -> u32 {
    return at.lid;
}

// The sum of the invocation that is so far before one, if there is one.
fn sum_of(lid: u32, distance: u32) -> vec4<u32> {
    return select(vec4<u32>(), sums[max(lid, distance) - distance], lid >= distance);
}

fn places_of(own: vec4<u32>, at: Place, wg: Workgroup) -> Places {
    var sum = own;
    for (var d = 1u; d < WG; d <<= 2u) {
        sums[at.lid] = sum;
        workgroupBarrier();
        sum += sum_of(at.lid, d) + sum_of(at.lid, 2u * d) + sum_of(at.lid, 3u * d);
        workgroupBarrier();
    }
    sums[at.lid] = sum;
    workgroupBarrier();
    return Places(sum - own, sums[WG - 1u]);
}
