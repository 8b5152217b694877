// What operators ask of floats beyond arithmetic, decided by bits: comparisons may assume that NaNs do not occur.

// NaN, out of a zero that no compiler takes for a constant: constant NaNs are errors in WGSL.
fn not_a_number(zero: u32) -> Real {
    return bitcast<Real>(UNDEFINED | Bits(zero));
}

// The square root, and infinities and NaNs as they are: a root by way of its inverse makes NaN of infinity.
fn root(x: Real) -> Real {
    if (bitcast<Bits>(x) & MAGNITUDE) >= INFINITE {
        return x;
    }
    return sqrt(x);
}
