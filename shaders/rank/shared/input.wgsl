// The elements of a row: four at a time, and the few before and after whole vectors one by one.
#import rank/shared/input_words
#import rank/shared/io

// The part of a row that a dispatch covers, as positions in the binding.
struct RowPart {
    begin: u32,
    end: u32,
    begin4: u32,
    end4: u32,
}

fn row_of(row: u32) -> RowPart {
    let begin = params.first + row * params.count;
    let end = begin + params.len;
    let begin4 = (begin + 3u) >> 2u;
    return RowPart(begin, end, begin4, max(begin4, end >> 2u));
}

// The number of elements before the first whole vector, and after the last: at most three each.
fn head(row: RowPart) -> u32 { return min(4u * row.begin4, row.end) - row.begin; }
fn tail(row: RowPart) -> u32 { return max(row.end, 4u * row.end4) - 4u * row.end4; }

// The number of elements that no whole vector has, and the position of one of them.
fn singles(row: RowPart) -> u32 { return head(row) + tail(row); }
fn single(row: RowPart, which: u32) -> u32 { return select(4u * row.end4 + which - head(row), row.begin + which, which < head(row)); }
