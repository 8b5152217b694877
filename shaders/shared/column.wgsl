// Columns of the middle axis: the rows of a chunk, from its index.
#import shared/io

struct Own {
    // Rows of the axis, which is cut into `chunks` of at most `chunk` rows each.
    len: u32,
    chunk: u32,
    chunks: u32,
    base: u32,
    // Invocations that share a chunk of some columns, as a power of two.
    team: u32,
    // Columns of the array: the distance from one element to the next of the same result.
    inner: u32,
    // Columns that a team takes side by side.
    width: u32,
    onto: u32,
}

// Rows of a column: the first is row `begin` of the axis, and at position `top` of the binding.
struct ColumnRange {
    begin: u32,
    rows: u32,
    top: u32,
}

fn column_range(chunk: u32, column: u32) -> ColumnRange {
    let number = params.own.base + chunk;
    let outer = number / params.own.chunks;
    let begin = (number - outer * params.own.chunks) * params.own.chunk;
    let top = (outer * params.own.len + begin) * params.own.inner + column + params.first - params.index;
    return ColumnRange(begin, min(params.own.chunk, params.own.len - begin), top);
}
