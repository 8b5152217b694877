// The weights of a stencil in 3D.
#import stencil/shared/params

// The four coefficients, by their distance from the centre.
struct Weights {
    centre: Elem,
    face: Elem,
    edge: Elem,
    corner: Elem,
}

// Read once, before any loop: as far as a compiler knows, a store to `result` could change them.
fn weights() -> Weights { return Weights(coefficients[0], coefficients[1], coefficients[2], coefficients[3]); }
