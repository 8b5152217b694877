// Five points, row by row: what a row gives to its own new cells and to those of the rows beside it.
//
//     begin     c · own + a · ((west + east) + north)        the sum of a new cell without its row to the south
//     finish    begin + a · south                            as soon as that row comes
//
// The bits are to be those of single steps, whichever steps a compiler finds side by side in one kernel. WGSL has no word
// for that: a compiler may turn `x · y + z` into an `fma` as it sees fit, and `a · x + (a · y + z)` into `a · (x + y) + z`.
// So every product is added by a stated `fma`, and the last operation of a step is one: nothing is left to put together.
// And the weight that the row to the south is given is read from another place than that of the others. They are equal,
// which no compiler knows: nothing is left to factor out.
#import lanes

struct Weights {
    centre: Elem,
    around: Elem,
    south: Elem,
}

// Read once, before any loop: a store to `result` could change them, for all a compiler knows.
fn weights() -> Weights {
    return Weights(coefficients[0], coefficients[1], coefficients[5]);
}

// A row's contribution to the rows above and below it: its cells as they are.
fn beside(k: Weights, own: Pack, west: Pack, east: Pack) -> Pack {
    return own;
}

#ifdef rhs
fn begin(k: Weights, own: Pack, west: Pack, east: Pack, north: Pack, added: Pack) -> Pack {
    return fma(Pack(k.around), (west + east) + north, fma(Pack(k.centre), own, added));
}
#else
fn begin(k: Weights, own: Pack, west: Pack, east: Pack, north: Pack) -> Pack {
    return fma(Pack(k.around), (west + east) + north, k.centre * own);
}
#endif

fn finish(k: Weights, sum: Pack, south: Pack) -> Pack {
    return fma(Pack(k.south), south, sum);
}
