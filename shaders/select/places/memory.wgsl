// Sums across a workgroup, through workgroup memory.
#import io
#import entry
#import sum_before

var<workgroup> sum_of_all: u32;

// Returns the sum of all invocations before one, and the sum of all. Between two calls there must be a barrier.
fn sums_of(own: u32, at: Place, wg: Workgroup) -> vec2<u32> {
    let before = sum_before(own, at.lid);
    if at.lid == WG - 1u {
        sum_of_all = before + own;
    }
    workgroupBarrier();
    return vec2<u32>(before, sum_of_all);
}
