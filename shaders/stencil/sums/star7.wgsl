// plane-sums, 7 points: a plane contributes its own cells to the planes beside it, and its faces to itself.
#import stencil/shared/weights3d
#import stencil/lanes/*
#import stencil/shared/rows
#import stencil/shared/right_hand_side

fn plane_sums_of(k: Weights, north: Row, row: Row, south: Row) -> PlaneSums {
    let around = (north.own + south.own) + row.sides;
    let here = k.centre * row.own + k.face * around;
    return PlaneSums(with_added(here, row.added), row.own);
}

fn added(k: Weights, here: Pack, beside: Pack) -> Pack { return fma(Pack(k.face), beside, here); }
