// The rows of a tile in 3D: which rows of the grid they stand for, as pack_sources.wgsl says of columns.
#import stencil/shared/pack_sources
#import stencil/shared/span

fn line_of(r: i32) -> u32 { return source_of(r, params.rows, 1, params.north).at; }
fn is_fixed_line(line: u32) -> bool { return (line == 0u && params.north == FIXED) || (line + 1u == params.rows && params.south == FIXED); }

// True if a workgroup writes a row, or a column.
fn writes(span: Span, at: i32) -> bool { return span.begin <= at && at < span.end; }
