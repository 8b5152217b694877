// Sums across a workgroup, through workgroup memory. A step adds up four: 256 invocations take four steps.
#import io
#import entry

var<workgroup> sums: array<u32, WG>;

// The sum of the invocation that is so far before one, if there is one.
fn sum_of(lid: u32, distance: u32) -> u32 {
    return select(0u, sums[max(lid, distance) - distance], lid >= distance);
}

// The sum of all invocations before one, and that of all. Between two calls there must be a barrier.
fn sums_of(own: u32, at: Place, wg: Workgroup) -> vec2<u32> {
    var sum = own;
    for (var d = 1u; d < WG; d <<= 2u) {
        sums[at.lid] = sum;
        workgroupBarrier();
        sum += sum_of(at.lid, d) + sum_of(at.lid, 2u * d) + sum_of(at.lid, 3u * d);
        workgroupBarrier();
    }
    sums[at.lid] = sum;
    workgroupBarrier();
    return vec2<u32>(sum - own, sums[WG - 1u]);
}
