// Five points row by row, and seven plane by plane: what a layer gives to its own new cells and to those of the layers beside it.
//
//     begin     c · own + a · (around + before)      the sum of a new cell without the layer after it
//     finish    begin + a · behind                   as soon as that layer comes
//
// `around` is the sum of the neighbours in the layer: two cells in a row, four in a plane.
//
// The bits are to be those of single steps, whichever steps a compiler finds side by side in one kernel. WGSL has no word for that: a compiler may
// turn `x · y + z` into an `fma` as it sees fit, and `a · x + (a · y + z)` into `a · (x + y) + z`. So every product is added by a stated `fma`, and
// the last operation of a step is one: nothing is left to put together. And the weight that the layer behind is given is read from another place than
// that of the others. They are equal, which no compiler knows: nothing is left to factor out.
#import stencil/lanes/*

struct Weights {
    centre: Elem,
    around: Elem,
    behind: Elem,
}

// Read once, before any loop: a store to `result` could change them, for all a compiler knows.
fn weights() -> Weights { return Weights(coefficients[0], coefficients[1], coefficients[5]); }

// A layer's contribution to the layers beside it: its cells as they are.
fn beside(k: Weights, own: Pack, around: Pack) -> Pack { return own; }

fn begin(k: Weights, own: Pack, around: Pack, before: Pack, added: Pack) -> Pack {
#ifdef rhs
    let sum = fma(Pack(k.centre), own, added);
#else
    let sum = k.centre * own;
#endif
    return fma(Pack(k.around), around + before, sum);
}

fn finish(k: Weights, sum: Pack, behind: Pack) -> Pack { return fma(Pack(k.behind), behind, sum); }
