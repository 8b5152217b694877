// 2D: rows stream, from north to south.
#import params

// Cells at fixed sides wait in the place of their sums (time_step.wgsl). Five points could do without, with fewer selections;
// but then NVIDIA's compiler takes 175 registers instead of 167, two workgroups fit a core instead of three, and the kernel
// is slower by a third.
const KEEPS_SUMS: bool = true;

fn layer_count() -> i32 {
    return i32(params.rows);
}

fn side_before() -> u32 {
    return params.north;
}

fn side_behind() -> u32 {
    return params.south;
}
