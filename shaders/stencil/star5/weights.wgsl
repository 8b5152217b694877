// The star of five cells, with a weight of the centre. Weights are read once, before any loop: as far as a compiler
// knows, a store to `result` could change them.
#import stencil/shared/params
#import stencil/cells/*

struct Weights {
    centre: Elem,
    around: Elem,
}

fn weights() -> Weights { return Weights(coefficients[0], coefficients[1]); }

// The new cells, given the sums of the two cells above and below, and of the two to the west and to the east.
fn star(k: Weights, centre: Pack, column: Pack, row: Pack) -> Pack { return k.centre * centre + k.around * (column + row); }
