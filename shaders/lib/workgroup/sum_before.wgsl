// The sum of the values of all invocations before one. A step adds up eight sums: 64 invocations take two steps, and four barriers.
//
// Subgroups would save barriers, but not time: medians of rows of 1024 elements took a twentieth longer on an NVIDIA H200. And a sum over a
// subgroup after a loop that its lanes leave at different times was wrong.
#import <io>

var<workgroup> sums: array<u32, WG>;

fn sum_before(value: u32, lid: u32) -> u32 { return sum_among(value, lid, WG); }

// The same of the first `lanes` invocations. Only their sums are right.
fn sum_among(value: u32, lid: u32, lanes: u32) -> u32 {
    var sum = value;
    for (var d = 1u; d < lanes; d <<= 3u) {
        sums[lid] = sum;
        workgroupBarrier();
        sum += (sum_of(lid, d) + sum_of(lid, 2u * d)) + (sum_of(lid, 3u * d) + sum_of(lid, 4u * d));
        sum += (sum_of(lid, 5u * d) + sum_of(lid, 6u * d)) + sum_of(lid, 7u * d);
        workgroupBarrier();
    }
    return sum - value;
}

// The sum of the invocation that is so far before one, if there is one.
fn sum_of(lid: u32, distance: u32) -> u32 { return select(0u, sums[max(lid, distance) - distance], lid >= distance); }
