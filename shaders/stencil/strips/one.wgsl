// plane-sums: a strip of one row, which loads three rows of packs.
#import plane_rows
#import rows
#import sums

const STRIP: i32 = 1;

struct Strip {
    a: PlaneSums,
}

struct LoadedStrip {
    n: Loaded,
    a: Loaded,
    s: Loaded,
}

fn load_strip(plane: u32, r: i32, cols: Cols) -> LoadedStrip {
    return LoadedStrip(
        load_row(plane, r - 1, cols),
        load_row(plane, r, cols),
        load_row(plane, r + 1, cols),
    );
}

fn strip_of(k: Weights, loaded: LoadedStrip) -> Strip {
    let n = row_of(loaded.n);
    let a = row_of(loaded.a);
    let s = row_of(loaded.s);
    return Strip(plane_sums_of(k, n, a, s));
}

fn advance_strip(k: Weights, sum: Strip, next: Strip) -> Strip {
    return Strip(advance(k, sum.a, next.a));
}

fn put_strip(k: Weights, p: i32, r: i32, cols: Cols, sum: Strip, above: Strip) {
    put_row(k, p, r, cols, sum.a, above.a);
}
