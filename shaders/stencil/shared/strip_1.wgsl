// A strip of one row for plane-sums: 3 rows of packs are loaded for 1.

const STRIP: i32 = 1;

struct Strip {
    a: Shares,
}

fn strip_of(k: Weights, plane: u32, r: i32, cols: Cols) -> Strip {
    let n = row_of(plane, r - 1, cols);
    let a = row_of(plane, r, cols);
    let s = row_of(plane, r + 1, cols);
    return Strip(shares_of(k, n, a, s));
}

fn advance_strip(sum: Strip, next: Strip) -> Strip {
    return Strip(advance(sum.a, next.a));
}

fn put_strip(p: i32, r: i32, cols: Cols, sum: Strip, above: Strip) {
    put_row(p, r, cols, sum.a, above.a);
}
