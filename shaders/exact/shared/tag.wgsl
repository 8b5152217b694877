// The tag of an accumulator: the lowest exponent of its window, and flags. Two accumulators that are combined have the
// same window, or one has none, so `|` combines their tags.

const WINDOW: u32 = 0xffffu;
// Some of the sum is in the limbs.
const SPILLED: u32 = 0x10000u;
// Some element was not -0.
const OTHERS: u32 = 0x20000u;
const NAN: u32 = 0x40000u;
const PLUS_INFINITY: u32 = 0x80000u;
const MINUS_INFINITY: u32 = 0x100000u;
// Counts batches that fit no window of the invocation: every eighth of them tries another window. The formats differ in which is
// the first.
const MISSED: u32 = 0x1000000u;
const TRIES: u32 = 0x7000000u;
const RARE: u32 = 2u * MISSED;

// When a window is chosen, at least so many of its exponents are left free above the largest exponent seen. Windows end at
// multiples of this.
const ROOM: u32 = 2u;

// The window for numbers up to this exponent.
fn window_below(top: u32) -> u32 {
    let end = (top + 2u * ROOM) & ~(ROOM - 1u);
    return clamp(end, LOWEST + SPAN, LAST_WINDOW + SPAN) - SPAN;
}

// The flag of a NaN, or of an infinity with this sign mask.
fn special(is_nan: bool, sign: u32) -> u32 {
    return OTHERS | select(select(PLUS_INFINITY, MINUS_INFINITY, sign != 0u), NAN, is_nan);
}
