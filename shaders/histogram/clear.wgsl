// clear: sets the counters to zero, one per invocation.
//
// A dispatch, because only an encoder has `clear_buffer`: so a histogram can be recorded inside the caller's pass.
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
