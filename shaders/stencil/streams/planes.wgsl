// 3D: planes stream, from near to far.
#import stencil/shared/params

fn layer_count() -> i32 { return i32(params.planes); }
fn side_before() -> u32 { return params.near; }
fn side_behind() -> u32 { return params.far; }
