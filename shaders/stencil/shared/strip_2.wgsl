// A strip of two rows for plane-sums: 4 rows of packs are loaded for 2.

const STRIP: i32 = 2;

struct Strip {
    a: Shares,
    b: Shares,
}

struct LoadedStrip {
    n: Loaded,
    a: Loaded,
    b: Loaded,
    s: Loaded,
}

fn load_strip(plane: u32, r: i32, cols: Cols) -> LoadedStrip {
    return LoadedStrip(
        load_row(plane, r - 1, cols),
        load_row(plane, r, cols),
        load_row(plane, r + 1, cols),
        load_row(plane, r + 2, cols),
    );
}

fn strip_of(k: Weights, loaded: LoadedStrip) -> Strip {
    let n = row_of(loaded.n);
    let a = row_of(loaded.a);
    let b = row_of(loaded.b);
    let s = row_of(loaded.s);
    return Strip(shares_of(k, n, a, b), shares_of(k, a, b, s));
}

fn advance_strip(sum: Strip, next: Strip) -> Strip {
    return Strip(advance(sum.a, next.a), advance(sum.b, next.b));
}

fn put_strip(p: i32, r: i32, cols: Cols, sum: Strip, above: Strip) {
    put_row(p, r, cols, sum.a, above.a);
    put_row(p, r + 1, cols, sum.b, above.b);
}
