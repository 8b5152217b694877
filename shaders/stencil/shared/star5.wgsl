// The star of five cells: the weighted sum of cells that 2D kernels have read.
//
// If all five have equal weights (`one_weight`), as in the thesis, one multiplication is enough. With a
// separate weight for the centre, a step can be damped, or omit the centre. Weights are read once, before any
// loop: as far as a compiler knows, a store to `result` could change them.
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
