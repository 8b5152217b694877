// 2D: rows stream, from north to south.
#import stencil/shared/params

fn layer_count() -> i32 { return i32(params.rows); }
fn side_before() -> u32 { return params.north; }
fn side_behind() -> u32 { return params.south; }
