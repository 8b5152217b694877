// The sum of an invocation in a window: four digits of DIGIT bits, the lowest first, and a tag. All digits but the highest are from 0 to
// 2^DIGIT - 1; the highest has a sign. A digit does not fill its word, so several sums are added before carries are moved.
//
// The window begins UNDER bits above the lowest digit's first bit, and the digits end far above it. Numbers a little too small or too large
// for the window are added to the digits one by one, and need no limbs. In a window that begins at 2^-20, with digits of 28 bits:
//
//     digit              w                 z                 y                 x
//     bits from    2^36              2^8               2^-20             2^-48
//                                    |<- window: 23 exponents and 24 bits ->|
//     1.5          0                 0                 1.5 · 2^20        0
//     1.5 + 2^-40  0                 0                 1.5 · 2^20        2^8
//     -2^-20       -1                2^28 - 1          2^28 - 1          0
#import exact/formats/*
#import shared/exact/four_digits
#import shared/exact/limbs

// The tag: the lowest exponent of the window, and flags, also those of four_digits.wgsl. Two accumulators that are combined have the same
// window, or one has none, so `|` combines their tags.
const WINDOW: u32 = 0xffffu;
// Some of the sum is in the limbs.
const SPILLED: u32 = 0x10000u;
// Counts batches that missed the windows of the invocation: every sixteenth of them chooses another window.
const MISSED: u32 = 0x1000000u;
const TRIES: u32 = 0xf000000u;

struct Acc {
    sum: vec4<u32>,
    tag: u32,
}

fn identity() -> Acc { return Acc(vec4<u32>(0u), 0u); }

// The sum of two accumulators that have the same window, or of which one has none. Its digits have no carries yet: there is
// room for the sum of eight.
fn add(a: Acc, b: Acc) -> Acc { return Acc(a.sum + b.sum, a.tag | b.tag); }

// Digits that may have signs, and up to 31 bits, with their carries moved.
fn carried(acc: Acc) -> Acc { return carried_from_second(Acc(vec4<u32>(acc.sum.x & MASK, acc.sum.y + above(acc.sum.x), acc.sum.zw), acc.tag)); }

// The same where the lowest digit has no carry.
fn carried_from_second(acc: Acc) -> Acc {
    let z = acc.sum.z + above(acc.sum.y);
    return Acc(vec4<u32>(acc.sum.x, acc.sum.y & MASK, z & MASK, acc.sum.w + above(z)), acc.tag);
}

// Exponents that a chosen window leaves free above the largest exponent seen, at least. Windows end at multiples of this.
const HEADROOM: u32 = 2u;

// The window for numbers up to this exponent.
fn window_below(top: u32) -> u32 {
    let end = (top + 2u * HEADROOM) & ~(HEADROOM - 1u);
    return clamp(end, LOWEST + SPAN, LAST_WINDOW + SPAN) - SPAN;
}

// Adds what an accumulator holds to the limbs. The highest word alone has a sign.
fn spill(acc: Acc) {
    let p = (acc.tag & WINDOW) - LOWEST - UNDER;
    var words = whole(acc.sum);
    for (var i = 0u; i < turns(4u); i++) {
        let sign = select(0u, words.x >> 31u, i == 3u);
        add_number(sign, p + 32u * i, (words.x ^ (0u - sign)) + sign, 0u);
        words = words.yzwx;
    }
}
