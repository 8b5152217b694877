// Real numbers as 64-bit floats: the twin of real_32.wgsl.

alias Real = f64;
alias Bits = u64;

const LARGEST: Real = 0x1.fffffffffffffp+1023lf;

const MAGNITUDE: Bits = 0x7ffffffffffffffflu;
const INFINITE: Bits = 0x7ff0000000000000lu;
const UNDEFINED: Bits = 0x7ff8000000000000lu;
