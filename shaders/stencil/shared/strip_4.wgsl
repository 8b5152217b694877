// A strip of four rows for plane-sums: 6 rows of packs are loaded for 4.

const STRIP: i32 = 4;

struct Strip {
    a: Shares,
    b: Shares,
    c: Shares,
    d: Shares,
}

fn strip_of(k: Weights, plane: u32, r: i32, cols: Cols) -> Strip {
    let n = row_of(plane, r - 1, cols);
    let a = row_of(plane, r, cols);
    let b = row_of(plane, r + 1, cols);
    let c = row_of(plane, r + 2, cols);
    let d = row_of(plane, r + 3, cols);
    let s = row_of(plane, r + 4, cols);
    return Strip(shares_of(k, n, a, b), shares_of(k, a, b, c), shares_of(k, b, c, d), shares_of(k, c, d, s));
}

fn advance_strip(sum: Strip, next: Strip) -> Strip {
    return Strip(
        advance(sum.a, next.a),
        advance(sum.b, next.b),
        advance(sum.c, next.c),
        advance(sum.d, next.d),
    );
}

fn put_strip(p: i32, r: i32, cols: Cols, sum: Strip, above: Strip) {
    put_row(p, r, cols, sum.a, above.a);
    put_row(p, r + 1, cols, sum.b, above.b);
    put_row(p, r + 2, cols, sum.c, above.c);
    put_row(p, r + 3, cols, sum.d, above.d);
}
