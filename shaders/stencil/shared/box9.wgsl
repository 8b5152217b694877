// The box of nine cells: the sum that 2D kernels make of the cells they have read.
#import params

struct Weights {
    centre: Elem,
    side: Elem,
    diagonal: Elem,
}

// Read once, before any loop: a store to `result` could change them, for all a compiler knows.
fn weights() -> Weights {
    return Weights(coefficients[0], coefficients[1], coefficients[2]);
}

// Of the centre, and of the sums of the four beside it and of the four diagonal ones.
fn box(k: Weights, centre: Pack, sides: Pack, diagonals: Pack) -> Pack {
    return k.centre * centre + k.side * sides + k.diagonal * diagonals;
}
