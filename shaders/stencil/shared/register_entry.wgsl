// The entry point of kernels whose invocations compute a pack of each of a few rows.
#import stencil/shared/computed
#import stencil/lanes/*
#import <kernel>
#import stencil/shared/blocks2d

override ROWS_PER_INVOCATION: u32 = 4u;

@compute @workgroup_size(COLS, ROWS)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let block = block_of(workgroup);
    let c = (block.across * i32(COLS) + i32(local.x)) * LANES;
    let top = (block.down * i32(ROWS) + i32(local.y)) * i32(ROWS_PER_INVOCATION);
    let begin = max(top, first_row());
    let end = min(top + i32(ROWS_PER_INVOCATION), end_row());
    if c < i32(params.cols) && begin < end {
        kernel(c, begin, end);
    }
}
