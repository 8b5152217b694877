// 3D: planes stream, from near to far.
#import params

// Whether cells at fixed sides wait in the place of their sums (time_step.wgsl).
#ifdef star
const KEEPS_SUMS: bool = false;
#else
const KEEPS_SUMS: bool = true;
#endif

fn layer_count() -> i32 {
    return i32(params.planes);
}

fn side_before() -> u32 {
    return params.near;
}

fn side_behind() -> u32 {
    return params.far;
}
