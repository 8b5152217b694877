// The rows of a tile in 3D: which rows of the grid they stand for, as pack_sources.wgsl says of columns.
#import pack_sources
#import span

#ifdef fixed_borders
fn line_of(r: i32) -> u32 {
    return u32(clamp(r, 0, i32(params.rows) - 1));
}
#else
fn line_of(r: i32) -> u32 {
    let rows = params.rows;
    if params.north == WRAP {
        return wrapped(r, rows);
    }
    let there = wrapped(r, 2u * rows);
    return min(there, 2u * rows - 1u - there);
}
#endif

fn is_fixed_line(line: u32) -> bool {
    return (line == 0u && params.north == FIXED) || (line + 1u == params.rows && params.south == FIXED);
}

// True if a workgroup writes a row, or a column.
fn writes(span: Span, at: i32) -> bool {
    return span.begin <= at && at < span.end;
}
