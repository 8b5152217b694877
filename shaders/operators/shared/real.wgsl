// Real numbers as floats of 32 bits, or of 64 bits if the elements have 64: the type, constants about its bits, and functions. They test bits,
// because a compiler may assume that comparisons meet no NaNs.

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

// NaN, made from a zero that no compiler knows to be constant: constant NaNs are errors in WGSL.
fn not_a_number(zero: u32) -> Real { return bitcast<Real>(UNDEFINED | Bits(zero)); }
fn is_undefined(x: Real) -> bool { return (bitcast<Bits>(x) & MAGNITUDE) > INFINITE; }

// The square root. Infinities and NaNs are returned unchanged: a GPU that computes the root from its inverse would return NaN for infinity.
fn root(x: Real) -> Real {
    if (bitcast<Bits>(x) & MAGNITUDE) >= INFINITE {
        return x;
    }
    return sqrt(x);
}
