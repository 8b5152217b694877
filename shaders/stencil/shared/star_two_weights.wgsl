// The star of five cells whose centre has a weight of its own: what it takes to damp a step, or to leave the centre out.

struct Weights {
    centre: Elem,
    around: Elem,
}

// Read once, before any loop: a store to `result` could change them, for all a compiler knows.
fn weights() -> Weights {
    return Weights(coefficients[0], coefficients[1]);
}

fn star(k: Weights, centre: Pack, north: Pack, south: Pack, west: Pack, east: Pack) -> Pack {
    return k.centre * centre + k.around * ((north + south) + (west + east));
}
