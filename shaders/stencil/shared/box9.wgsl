// The box of nine cells: the weighted sum of cells that 2D kernels have read.
#import stencil/shared/params
#import stencil/cells/*

struct Weights {
    centre: Elem,
    side: Elem,
    diagonal: Elem,
}

// Read once, before any loop: as far as a compiler knows, a store to `result` could change them.
fn weights() -> Weights { return Weights(coefficients[0], coefficients[1], coefficients[2]); }

// The weighted sum of the centre, the sum of the four cells beside it, and the sum of the four diagonal ones.
fn box(k: Weights, centre: Pack, sides: Pack, diagonals: Pack) -> Pack { return k.centre * centre + k.side * sides + k.diagonal * diagonals; }
