// plane-sums: a strip of two rows, which loads four rows of packs.
#import plane_rows
#import rows
#import sums

const STRIP: i32 = 2;

struct Strip {
    a: PlaneSums,
    b: PlaneSums,
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
    return Strip(plane_sums_of(k, n, a, b), plane_sums_of(k, a, b, s));
}

fn advance_strip(k: Weights, sum: Strip, next: Strip) -> Strip {
    return Strip(advance(k, sum.a, next.a), advance(k, sum.b, next.b));
}

fn put_strip(k: Weights, p: i32, r: i32, cols: Cols, sum: Strip, above: Strip) {
    put_row(k, p, r, cols, sum.a, above.a);
    put_row(k, p, r + 1, cols, sum.b, above.b);
}
