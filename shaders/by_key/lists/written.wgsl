// The lists of tiles and groups (lists/read.wgsl), for kernels that write them.
#import <operator>

@group(0) @binding(4) var<storage, read_write> tiles: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> ends: array<Acc>;
