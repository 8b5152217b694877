// clear: zeros for the counters, one an invocation.
//
// A dispatch of its own and not `clear_buffer`, which an encoder has but a compute pass has not: a histogram can be recorded
// into the middle of the caller's pass.
#import io

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    let bin = group_index(workgroup) * WG + lid;
    if bin < BINS {
        atomicStore(&counts[bin], 0u);
    }
}
