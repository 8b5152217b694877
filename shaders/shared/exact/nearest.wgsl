// Rounds an exact sum to the nearest float, ties to even.
//
// The sum is an integer in units of 2^-149 (for 32-bit floats), the smallest subnormal, so a sum of at most 24 bits is its own bit pattern. A
// longer one loses `drop` bits, and its pattern is drop · 2^23 plus the 24 bits that are left: their first bit adds one to the exponent's
// field. A carry from rounding up adds one more, up to infinity. There are no special cases. 64-bit floats differ only in the numbers.
// Sums of products have units of 2^-298, so 149 bits are always dropped.
#import <constants>

// Flags of a sum.
const NAN: u32 = 0x20000u;
const PLUS_INFINITY: u32 = 0x40000u;
const MINUS_INFINITY: u32 = 0x80000u;
// Some element was not -0.
const OTHERS: u32 = 0x100000u;
// Word `w` of a state is the flag at bit `FLAG_SHIFT + w`.
const FLAG_SHIFT: u32 = 15u;

// The upper word of a result of 64 bits, or its only word, as 64 bits.
fn upper_word(word: u32) -> vec2<u32> { return select(vec2<u32>(word, 0u), vec2<u32>(0u, word), SIGNIFICAND == 53u); }
fn infinity() -> vec2<u32> { return upper_word(select(0x7f800000u, 0x7ff00000u, SIGNIFICAND == 53u)); }
fn quiet_nan() -> vec2<u32> { return upper_word(select(0x7fc00000u, 0x7ff80000u, SIGNIFICAND == 53u)); }

// A number as rounding needs it: its sign, the end of its bits (0 for zero), the 64 bits below that, the upper word
// last, and true in `rest` if any bit below those is set.
struct Number {
    is_negative: bool,
    end: u32,
    top: vec2<u32>,
    rest: bool,
}

// The rounded sum as bits; `is_nothing` if nothing has been added.
fn rounded(number: Number, flags: u32, is_nothing: bool) -> vec2<u32> {
    let infinities = flags & (PLUS_INFINITY | MINUS_INFINITY);
    if (flags & NAN) != 0u || infinities == (PLUS_INFINITY | MINUS_INFINITY) {
        return quiet_nan();
    }
    if infinities != 0u {
        return infinity() | select(vec2<u32>(0u), upper_word(0x80000000u), infinities == MINUS_INFINITY);
    }
    if number.end == 0u {
        return select(upper_word(0x80000000u), vec2<u32>(0u), is_nothing || (flags & OTHERS) != 0u);
    }
    return nearest(number) | select(vec2<u32>(0u), upper_word(0x80000000u), number.is_negative);
}

// Shifts of 64 bits, by 0 to 63.
fn shifted_left(v: vec2<u32>, by: u32) -> vec2<u32> {
    let k = by & 31u;
    let shifted = vec2<u32>(v.x << k, (v.y << k) | ((v.x >> 1u) >> (31u - k)));
    return select(shifted, vec2<u32>(0u, shifted.x), by > 31u);
}

fn shifted_right(v: vec2<u32>, by: u32) -> vec2<u32> {
    let k = by & 31u;
    let shifted = vec2<u32>((v.x >> k) | ((v.y << 1u) << (31u - k)), v.y >> k);
    return select(shifted, vec2<u32>(shifted.y, 0u), by > 31u);
}

// A number by its highest word, which is not zero and ends at bit `end`, and the two words below it; `rest` says whether any lower bit is set.
fn number_from(is_negative: bool, highest: u32, below: vec2<u32>, end: u32, rest: bool) -> Number {
    let k = 31u - firstLeadingBit(highest);
    let upper = vec2<u32>(below.y, highest);
    let top = (upper << vec2<u32>(k)) | ((below >> vec2<u32>(1u)) >> vec2<u32>(31u - k));
    return Number(is_negative, end - k, top, rest || (below.x << k) != 0u);
}

// The number whose magnitude is these 128 bits and `more`, which is 0 or 1.
fn number_and(bits: vec4<u32>, more: u32, place: u32, is_negative: bool) -> Number {
    var w = vec4<u32>(bits.x + more, bits.yzw);
    let c0 = more == 1u && w.x == 0u;
    w.y += select(0u, 1u, c0);
    let c1 = c0 && w.y == 0u;
    w.z += select(0u, 1u, c1);
    w.w += select(0u, 1u, c1 && w.z == 0u);
    // The highest word that is not zero comes to the top.
    let by_two = (w.w | w.z) == 0u;
    w = select(w, vec4<u32>(0u, 0u, w.xy), by_two);
    let by_one = w.w == 0u;
    w = select(w, vec4<u32>(0u, w.xyz), by_one);
    if w.w == 0u {
        return Number(false, 0u, vec2<u32>(0u), false);
    }
    let end = 128u - select(0u, 64u, by_two) - select(0u, 32u, by_one) + place;
    return number_from(is_negative, w.w, w.yz, end, w.x != 0u);
}

// Number of bits that fall at the end of a number whose bits end at `end`.
fn dropped(end: u32) -> u32 { return max(BELOW, max(end, SIGNIFICAND) - SIGNIFICAND); }

// The bit pattern of `kept`, after `drop` bits have fallen.
fn pattern(kept: vec2<u32>, drop: u32, up: bool) -> vec2<u32> {
    let low = kept.x + select(0u, 1u, up);
    if SIGNIFICAND == 53u {
        let high = kept.y + select(0u, 1u, low < kept.x) + ((drop - BELOW) << 20u);
        return select(vec2<u32>(low, high), infinity(), high >= infinity().y);
    }
    return min(vec2<u32>(low + ((drop - BELOW) << 23u), 0u), infinity());
}

// The float next to a number.
fn nearest(number: Number) -> vec2<u32> {
    let drop = dropped(number.end);
    if drop > number.end {
        // Less than half of the smallest result.
        return vec2<u32>(0u);
    }
    let bits = number.end - drop;
    let kept = select(shifted_right(number.top, (64u - bits) & 63u), vec2<u32>(0u), bits == 0u);
    let below = shifted_left(number.top, bits);
    let is_half = (below.y >> 31u) == 1u;
    let is_more = ((below.y << 1u) | below.x) != 0u || number.rest;
    return pattern(kept, drop, is_half && (is_more || (kept.x & 1u) == 1u));
}
