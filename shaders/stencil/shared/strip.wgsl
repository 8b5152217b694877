// A strip of rows of packs in a lane, one below the other, which loads one row more on either side.
#import stencil/shared/plane_rows
#import stencil/shared/rows
#import stencil/sums/*

const STRIP: i32 = $STRIP;

struct Strip {
    #for i in 0..STRIP: s$i: PlaneSums,
}

struct LoadedStrip {
    #for i in 0..STRIP + 2: r$i: Loaded,
}

fn load_strip(plane: u32, r: i32, cols: Cols) -> LoadedStrip {
    return LoadedStrip(
        #for i in 0..STRIP + 2: load_row(plane, r - 1 + $i, cols),
    );
}

fn strip_of(k: Weights, loaded: LoadedStrip) -> Strip {
    #for i in 0..STRIP + 2: let r$i = row_of(loaded.r$i);
    return Strip(
        #for i in 0..STRIP: plane_sums_of(k, r$i, r$(i + 1), r$(i + 2)),
    );
}

fn advance_strip(k: Weights, sum: Strip, next: Strip) -> Strip {
    return Strip(
        #for i in 0..STRIP: advance(k, sum.s$i, next.s$i),
    );
}

fn put_strip(k: Weights, p: i32, r: i32, cols: Cols, sum: Strip, above: Strip) {
    #for i in 0..STRIP: put_row(k, p, r + $i, cols, sum.s$i, above.s$i);
}
