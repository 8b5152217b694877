// How bits of an element become those of a key.

// All bits of a key, or of a word of it: keys order in the opposite way.
override FLIP: u32 = 0u;

// The sign of an integer, whose keys are those of unsigned ones without it.
#ifdef signed
const SIGN: u32 = 0x80000000u;
#else
const SIGN: u32 = 0u;
#endif
