// The star of five cells that all have one weight, as in the thesis: one multiplication for a new cell.

alias Weights = Elem;

// Read once, before any loop: a store to `result` could change them, for all a compiler knows.
fn weights() -> Weights {
    return coefficients[0];
}

fn star(k: Weights, centre: Pack, north: Pack, south: Pack, west: Pack, east: Pack) -> Pack {
    return k * (centre + (north + south) + (west + east));
}
