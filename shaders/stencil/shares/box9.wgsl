// Nine points, row by row: what a row gives to its own new cells and to those of both neighbouring rows.
//
//     beside    s · own + d · around                  the same for the row above and for the row below
//     begin     north's + c · own + s · around        the sum of a new cell without its row to the south
//     finish    begin + south's                       as soon as that row comes
//
// `around` is the sum of the cells to the west and to the east. So each row is summed once. As for five points (star.wgsl), every product is added by a stated `fma`, and what a row
// contributes to neighbouring rows is computed with weights of its own. Here a sum is also added to another sum, or to the right-hand side. That is a
// stated `fma` too, with a factor that is 1 but that no compiler knows: plain additions of two sums are regrouped by Mesa's compiler (22.3),
// differently from kernel to kernel. `finish` gives that factor to `sum`, not to `south`: with `fma(one, south, sum)`, NVIDIA's compiler (driver 580)
// gave other bits in `f16` with two rows a turn.
#import stencil/lanes/*

struct Weights {
    centre: Elem,
    side: Elem,
    side_beside: Elem,
    diagonal_beside: Elem,
    one: Elem,
}

// Read once, before any loop: a store to `result` could change them, for all a compiler knows.
fn weights() -> Weights { return Weights(coefficients[0], coefficients[1], coefficients[5], coefficients[6], coefficients[8]); }
fn beside(k: Weights, own: Pack, around: Pack) -> Pack { return fma(Pack(k.diagonal_beside), around, k.side_beside * own); }

fn begin(k: Weights, own: Pack, around: Pack, north: Pack, added: Pack) -> Pack {
#ifdef rhs
    let sum = fma(Pack(k.one), north, added);
#else
    let sum = north;
#endif
    return fma(Pack(k.side), around, fma(Pack(k.centre), own, sum));
}

fn finish(k: Weights, sum: Pack, south: Pack) -> Pack { return fma(Pack(k.one), sum, south); }
