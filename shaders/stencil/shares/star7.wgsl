// Seven points, plane by plane: what a plane contributes to its own new cells and to those of the planes beside it.
//
//     begin     c · own + a · (around + before)      the sum of a new cell without the plane behind it
//     finish    begin + a · behind                   as soon as that plane comes
//
// `around` is the sum of the four cells around a cell in its plane. The operations are stated as for five points
// (star5.wgsl), and for the same reason.
#import lanes

struct Weights {
    centre: Elem,
    around: Elem,
    behind: Elem,
}

// Read once, before any loop: as far as a compiler knows, a store to `result` could change them.
fn weights() -> Weights {
    return Weights(coefficients[0], coefficients[1], coefficients[5]);
}

// A plane's contribution to the planes beside it: its cells as they are.
fn beside(k: Weights, own: Pack, around: Pack) -> Pack {
    return own;
}

#ifdef rhs
fn begin(k: Weights, own: Pack, around: Pack, before: Pack, added: Pack) -> Pack {
    return fma(Pack(k.around), around + before, fma(Pack(k.centre), own, added));
}
#else
fn begin(k: Weights, own: Pack, around: Pack, before: Pack) -> Pack {
    return fma(Pack(k.around), around + before, k.centre * own);
}
#endif

fn finish(k: Weights, sum: Pack, behind: Pack) -> Pack {
    return fma(Pack(k.behind), behind, sum);
}
