// plane-sums: a strip of four rows, which loads six rows of packs.
#import plane_rows
#import rows
#import sums

const STRIP: i32 = 4;

struct Strip {
    a: PlaneSums,
    b: PlaneSums,
    c: PlaneSums,
    d: PlaneSums,
}

struct LoadedStrip {
    n: Loaded,
    a: Loaded,
    b: Loaded,
    c: Loaded,
    d: Loaded,
    s: Loaded,
}

fn load_strip(plane: u32, r: i32, cols: Cols) -> LoadedStrip {
    return LoadedStrip(
        load_row(plane, r - 1, cols),
        load_row(plane, r, cols),
        load_row(plane, r + 1, cols),
        load_row(plane, r + 2, cols),
        load_row(plane, r + 3, cols),
        load_row(plane, r + 4, cols),
    );
}

fn strip_of(k: Weights, loaded: LoadedStrip) -> Strip {
    let n = row_of(loaded.n);
    let a = row_of(loaded.a);
    let b = row_of(loaded.b);
    let c = row_of(loaded.c);
    let d = row_of(loaded.d);
    let s = row_of(loaded.s);
    return Strip(plane_sums_of(k, n, a, b), plane_sums_of(k, a, b, c), plane_sums_of(k, b, c, d), plane_sums_of(k, c, d, s));
}

fn advance_strip(k: Weights, sum: Strip, next: Strip) -> Strip {
    return Strip(
        advance(k, sum.a, next.a),
        advance(k, sum.b, next.b),
        advance(k, sum.c, next.c),
        advance(k, sum.d, next.d),
    );
}

fn put_strip(k: Weights, p: i32, r: i32, cols: Cols, sum: Strip, above: Strip) {
    put_row(k, p, r, cols, sum.a, above.a);
    put_row(k, p, r + 1, cols, sum.b, above.b);
    put_row(k, p, r + 2, cols, sum.c, above.c);
    put_row(k, p, r + 3, cols, sum.d, above.d);
}
