// clear: sets the counters to zero, one per invocation.
//
// This is a dispatch, because a compute pass has no `clear_buffer`, only an encoder has it. So a histogram
// can be recorded in the middle of the caller's pass.
#import io

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    let bin = group_index(workgroup) * WG + lid;
    if bin < COUNTERS {
        atomicStore(&counts[bin], 0u);
    }
}
