// A strip of two rows for plane-sums: 4 rows of packs are loaded for 2.

const STRIP: i32 = 2;

struct Strip {
    a: Shares,
    b: Shares,
}

fn strip_of(k: Weights, plane: u32, r: i32, cols: Cols) -> Strip {
    let n = row_of(plane, r - 1, cols);
    let a = row_of(plane, r, cols);
    let b = row_of(plane, r + 1, cols);
    let s = row_of(plane, r + 2, cols);
    return Strip(shares_of(k, n, a, b), shares_of(k, a, b, s));
}

fn advance_strip(sum: Strip, next: Strip) -> Strip {
    return Strip(advance(sum.a, next.a), advance(sum.b, next.b));
}

fn put_strip(p: i32, r: i32, cols: Cols, sum: Strip, above: Strip) {
    put_row(p, r, cols, sum.a, above.a);
    put_row(p, r + 1, cols, sum.b, above.b);
}
