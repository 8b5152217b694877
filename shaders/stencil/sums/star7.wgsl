// plane-sums, 7 points: a plane contributes its own cells to the planes beside it, and its faces to itself.
#import weights3d
#import lanes
#import rows

// A plane's contributions to its own outputs, and to those in the planes below and above. For outputs in
// progress: the sum so far, and the newest plane's contribution to the next.
struct PlaneSums {
    here: Pack,
    beside: Pack,
}

fn plane_sums_of(k: Weights, north: Row, row: Row, south: Row) -> PlaneSums {
    let around = (north.own + south.own) + row.sides;
    let here = k.centre * row.own + k.face * around;
    let beside = row.own;
#ifdef rhs
    return PlaneSums(here + row.added, beside);
#else
    return PlaneSums(here, beside);
#endif
}

fn added(k: Weights, here: Pack, beside: Pack) -> Pack {
    return fma(Pack(k.face), beside, here);
}
