// What an accumulator says about itself, in one word: the window's lowest exponent, and flags. Accumulators that meet have the
// same window, or none yet, so that `|` joins their tags.

const WINDOW: u32 = 0xffffu;
// Some of the sum is in the limbs.
const SPILLED: u32 = 0x10000u;
// There was something else than -0.
const OTHERS: u32 = 0x20000u;
const NAN: u32 = 0x40000u;
const PLUS_INFINITY: u32 = 0x80000u;
const MINUS_INFINITY: u32 = 0x100000u;
// Counts batches that do not fit the window: now and then another window is tried.
const MISSED: u32 = 0x1000000u;
const TRIES: u32 = 0x7000000u;

// Exponents of a window.
const SPAN: u32 = 28u;
// Those of them that are left free above the largest one seen when a window is chosen, at least; windows are a multiple of this apart.
const ROOM: u32 = 4u;
// A digit in registers has 27 bits.
const DIGIT: u32 = 27u;
const MASK: u32 = 0x07ffffffu;

// The window for numbers up to this exponent.
fn window_below(top: u32) -> u32 {
    let end = (top + 2u * ROOM) & ~(ROOM - 1u);
    return clamp(end, LOWEST + SPAN, HIGHEST + 1u) - SPAN;
}

// The flag of a NaN, or of an infinity with this sign mask.
fn special(is_nan: bool, sign: u32) -> u32 {
    return OTHERS | select(select(PLUS_INFINITY, MINUS_INFINITY, sign != 0u), NAN, is_nan);
}
