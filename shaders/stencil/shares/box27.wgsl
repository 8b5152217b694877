// 27 points, plane by plane: what a plane contributes to its own new cells and to those of the planes beside it.
//
//     beside    β · own + γ · around + δ · diagonal              the same for the plane before and the plane behind
//     begin     before's + α · own + β · around + γ · diagonal   the sum of a new cell without the plane after it
//     finish    begin + behind's                                 as soon as that plane comes
//
// `around` is the sum of the four cells around a cell in its plane, `diagonal` that of the four diagonal ones. The
// operations are stated as for nine points (box9.wgsl), and for the same reason.
#import stencil/lanes/*

struct Weights {
    centre: Elem,
    face: Elem,
    edge: Elem,
    face_beside: Elem,
    edge_beside: Elem,
    corner_beside: Elem,
    one: Elem,
}

// Read once, before any loop: as far as a compiler knows, a store to `result` could change them.
fn weights() -> Weights {
    return Weights(
        #for k in 0 1 2 5 6 7 8: coefficients[$k],
    );
}

fn beside(k: Weights, own: Pack, around: Pack, diagonal: Pack) -> Pack {
    return fma(Pack(k.corner_beside), diagonal, fma(Pack(k.edge_beside), around, k.face_beside * own));
}

fn begin(k: Weights, own: Pack, around: Pack, diagonal: Pack, before: Pack, added: Pack) -> Pack {
#ifdef rhs
    let sum = fma(Pack(k.one), before, added);
#else
    let sum = before;
#endif
    return fma(Pack(k.edge), diagonal, fma(Pack(k.face), around, fma(Pack(k.centre), own, sum)));
}

fn finish(k: Weights, sum: Pack, behind: Pack) -> Pack { return fma(Pack(k.one), sum, behind); }
