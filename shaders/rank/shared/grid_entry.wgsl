// The entry point of kernels whose grid has several workgroups across for each row, or for each rank of a row.
#import rank/shared/io
#import <kernel>

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    kernel(workgroup.xy, lid);
}
