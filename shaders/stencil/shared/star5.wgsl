// The star of five cells: the sum that 2D kernels make of the cells they have read.
//
// Where all five have one weight (`one_weight`), as in the thesis, one multiplication makes a new cell. With a weight
// of its own for the centre a step can be damped, or leave the centre out. Weights are read once, before any loop: a
// store to `result` could change them, for all a compiler knows.
#import params

#ifdef one_weight
alias Weights = Elem;

fn weights() -> Weights {
    return coefficients[0];
}

fn star(k: Weights, centre: Pack, north: Pack, south: Pack, west: Pack, east: Pack) -> Pack {
    return k * (centre + (north + south) + (west + east));
}
#else
struct Weights {
    centre: Elem,
    around: Elem,
}

fn weights() -> Weights {
    return Weights(coefficients[0], coefficients[1]);
}

fn star(k: Weights, centre: Pack, north: Pack, south: Pack, west: Pack, east: Pack) -> Pack {
    return k.centre * centre + k.around * ((north + south) + (west + east));
}
#endif
