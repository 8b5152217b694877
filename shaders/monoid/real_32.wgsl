// Real numbers as 32-bit floats: the type, and what its bits mean.

alias Real = f32;
alias Bits = u32;

const LARGEST: Real = 0x1.fffffep+127f;

// All bits but the sign's; those of infinity; those of a NaN.
const MAGNITUDE: Bits = 0x7fffffffu;
const INFINITE: Bits = 0x7f800000u;
const UNDEFINED: Bits = 0x7fc00000u;
