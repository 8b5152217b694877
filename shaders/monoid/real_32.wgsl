// What operators ask of 32-bit floats beyond arithmetic, decided by bits: comparisons may assume that NaNs do not occur.

alias Real = f32;

// NaN, out of a zero that no compiler takes for a constant: constant NaNs are errors in WGSL.
fn not_a_number(zero: u32) -> Real {
    return bitcast<f32>(0x7fc00000u | zero);
}

// The square root, and infinities and NaNs as they are: a root by way of its inverse makes NaN of infinity.
fn root(x: Real) -> Real {
    if (bitcast<u32>(x) & 0x7fffffffu) >= 0x7f800000u {
        return x;
    }
    return sqrt(x);
}
