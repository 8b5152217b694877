// The 27-point box, computed in two ways from the nine cells of each of three planes.
//
//     nw  n  ne          In its own plane, the centre is weighted by α, the four cells around it (faces) by β and
//     w centre e         the four diagonal ones (edges) by γ. In the planes below and above each is one step farther
//     sw  s  se          away: the centre is a face, the four are edges, the diagonal ones are corners, δ.
#import stencil/shared/weights3d

struct Nine {
    nw: Elem,
    n: Elem,
    ne: Elem,
    w: Elem,
    centre: Elem,
    e: Elem,
    sw: Elem,
    s: Elem,
    se: Elem,
}

// All 27 cells, as in the formula: sums over faces, edges and corners, each over the three planes.
fn box(k: Weights, below: Nine, here: Nine, above: Nine) -> Elem {
    let faces = here.n + here.s + here.w + here.e + below.centre + above.centre;
    let edges = here.nw + here.ne + here.sw + here.se
        + (below.n + below.s + below.w + below.e)
        + (above.n + above.s + above.w + above.e);
    let corners = (below.nw + below.ne + below.sw + below.se) + (above.nw + above.ne + above.sw + above.se);
    return k.centre * here.centre + k.face * faces + k.edge * edges + k.corner * corners;
}

// The contribution of one plane, without weights: its centre, the sum of the four cells around it, and the
// sum of the four diagonal ones. These three numbers serve the outputs in three planes.
struct Sums {
    centre: Elem,
    around: Elem,
    diagonal: Elem,
}

fn sums_of(nine: Nine) -> Sums { return Sums(nine.centre, (nine.n + nine.s) + (nine.w + nine.e), (nine.nw + nine.ne) + (nine.sw + nine.se)); }

fn box_of_sums(k: Weights, below: Sums, here: Sums, above: Sums) -> Elem {
    return k.centre * here.centre
        + k.face * (here.around + (below.centre + above.centre))
        + k.edge * (here.diagonal + (below.around + above.around))
        + k.corner * (below.diagonal + above.diagonal);
}
