// Rows of plane-sums: outputs in progress, and their end.
#import stencil/lanes/*
#import stencil/shared/rows
#import stencil/sums/*
#import stencil/shared/computed
#import stencil/shared/blocks3d

fn advance(k: Weights, sum: PlaneSums, next: PlaneSums) -> PlaneSums { return PlaneSums(added(k, next.here, sum.beside), next.beside); }

fn put_row(k: Weights, p: i32, r: i32, cols: Cols, sum: PlaneSums, above: PlaneSums) {
    if first_row() <= r && r < end_row() {
        put_pack(index_of(p, r, cols.own), cols.own, added(k, sum.here, above.beside));
    }
}
