// Exponential and logarithm of 32-bit floats: WGSL's own.

// Where the exponential is zero.
const FAINT: Real = -128.0;

fn exponential(x: Real) -> Real {
    return exp(x);
}

fn logarithm(x: Real) -> Real {
    return log(x);
}
