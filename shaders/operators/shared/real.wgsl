// Real numbers as floats of 32 bits, or of 64 where the elements have as many: the type, what its bits mean, and what operators ask of
// floats beyond arithmetic. That is decided by bits: comparisons may assume that NaNs do not occur.

#ifdef bits_64
alias Real = f64;
alias Bits = u64;

const LARGEST: Real = 0x1.fffffffffffffp+1023lf;

const MAGNITUDE: Bits = 0x7ffffffffffffffflu;
const INFINITE: Bits = 0x7ff0000000000000lu;
const UNDEFINED: Bits = 0x7ff8000000000000lu;
#else
alias Real = f32;
alias Bits = u32;

const LARGEST: Real = 0x1.fffffep+127f;

// All bits but the sign's; those of infinity; those of a NaN.
const MAGNITUDE: Bits = 0x7fffffffu;
const INFINITE: Bits = 0x7f800000u;
const UNDEFINED: Bits = 0x7fc00000u;
#endif

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
