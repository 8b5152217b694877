// plane-sums, 27 points: a plane contributes faces, edges and corners to the planes beside it.
#import stencil/shared/weights3d
#import stencil/lanes/*
#import stencil/shared/rows
#import stencil/shared/right_hand_side

fn plane_sums_of(k: Weights, north: Row, row: Row, south: Row) -> PlaneSums {
    let around = (north.own + south.own) + row.sides;
    let diagonal = north.sides + south.sides;
    let here = k.centre * row.own + k.face * around + k.edge * diagonal;
    let beside = k.face * row.own + k.edge * around + k.corner * diagonal;
    return PlaneSums(with_added(here, row.added), beside);
}

fn added(k: Weights, here: Pack, beside: Pack) -> Pack { return here + beside; }
