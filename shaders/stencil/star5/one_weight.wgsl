// The star of five cells with equal weights, as in the thesis: one multiplication is enough. The weight is read once,
// before any loop: as far as a compiler knows, a store to `result` could change it.
#import stencil/shared/params
#import stencil/cells/*

alias Weights = Elem;

fn weights() -> Weights { return coefficients[0]; }
fn star(k: Weights, centre: Pack, column: Pack, row: Pack) -> Pack { return k * (centre + column + row); }
