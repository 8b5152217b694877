// Rounds the exact sum to the nearest float, ties to even. One invocation does this.
//
// The sum is an integer in units of 2^-149 (for 32-bit floats), the last place of the smallest subnormal. So a sum of at
// most 24 bits is its own bit pattern. A longer one loses `drop` bits, and its bit pattern is drop · 2^23 plus the 24 bits
// that are left: their first bit adds one to the exponent's field, as the format wants it. A carry from rounding up
// adds one more, up to infinity. There are no special cases. 64-bit floats differ only in the numbers. Sums of products
// have units of 2^-298, so 149 bits are always dropped.
//
// Rounding needs the bits at the top of the number. They come from the digits, or from a window if all of the sum
// is in it.
//
// A mean is divided first, bit by bit from the top, until all bits of the result are known. The remainder shows on which
// side of half way it lies.
#import types
#import operator
#import format
#import exact/digits

// The upper word of a result of 64 bits, or its only word, as 64 bits.
fn upper_word(word: u32) -> vec2<u32> {
    return select(vec2<u32>(word, 0u), vec2<u32>(0u, word), SIGNIFICAND == 53u);
}

fn infinity() -> vec2<u32> {
    return upper_word(select(0x7f800000u, 0x7ff00000u, SIGNIFICAND == 53u));
}

fn quiet_nan() -> vec2<u32> {
    return upper_word(select(0x7fc00000u, 0x7ff80000u, SIGNIFICAND == 53u));
}

// A number as rounding needs it: its sign, the end of its bits (0 for zero), the 64 bits below that, the upper word
// last, and true in `rest` if any bit below those is set.
struct Number {
    is_negative: bool,
    end: u32,
    top: vec2<u32>,
    rest: bool,
}

// The result as bits.
fn result(number: Number, tag: u32, count: vec2<u32>) -> vec2<u32> {
    let is_nothing = (count.x | count.y) == 0u;
    let infinities = tag & (PLUS_INFINITY | MINUS_INFINITY);
    if (tag & NAN) != 0u || infinities == (PLUS_INFINITY | MINUS_INFINITY) {
        return quiet_nan();
    }
    if infinities != 0u {
        return infinity() | select(vec2<u32>(0u), upper_word(0x80000000u), infinities == MINUS_INFINITY);
    }
    if is_nothing {
        return select(vec2<u32>(0u), quiet_nan(), MEAN);
    }
    if number.end == 0u {
        return select(upper_word(0x80000000u), vec2<u32>(0u), (tag & OTHERS) != 0u);
    }
    let minus = select(vec2<u32>(0u), upper_word(0x80000000u), number.is_negative);
    if MEAN {
        return nearest_quotient(number, count) | minus;
    }
    return nearest(number) | minus;
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

// A number by its highest word, which is not zero and ends at bit `end`, and the two words below it; `rest` says
// whether any lower bit is set.
fn number_from(is_negative: bool, highest: u32, below: vec2<u32>, end: u32, rest: bool) -> Number {
    let k = 31u - firstLeadingBit(highest);
    let upper = vec2<u32>(below.y, highest);
    let top = (upper << vec2<u32>(k)) | ((below >> vec2<u32>(1u)) >> vec2<u32>(31u - k));
    return Number(is_negative, end - k, top, rest || (below.x << k) != 0u);
}

// The number in a window.
fn number_in(acc: Acc) -> Number {
    let bits = whole(acc);
    let sign = bits.w >> 31u;
    // The magnitude: all bits flipped and one added.
    let flipped = bits ^ vec4<u32>(0u - sign);
    var w = vec4<u32>(flipped.x + sign, flipped.yzw);
    let c0 = sign == 1u && w.x == 0u;
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
    let end = 128u - select(0u, 64u, by_two) - select(0u, 32u, by_one) + (acc.tag & WINDOW) - LOWEST - UNDER;
    return number_from(sign == 1u, w.w, w.yz, end, w.x != 0u);
}

// A word of the magnitude; 0 beside its digits.
fn word_at(l: u32) -> u32 {
    if l < LIMBS {
        return digits[l];
    }
    return 0u;
}

// The number whose magnitude is in the digits.
fn number_of_digits(is_negative: bool) -> Number {
    let end = end_of_marks(SOME_OF_MAGNITUDE, LIMBS);
    if end == 0u {
        return Number(false, 0u, vec2<u32>(0u), false);
    }
    let below = vec2<u32>(word_at(end - 3u), word_at(end - 2u));
    let rest = end_of_marks(SOME_OF_MAGNITUDE, max(end, 3u) - 3u) > 0u;
    return number_from(is_negative, digits[end - 1u], below, 32u * end, rest);
}

// Number of bits that fall at the end of a number whose bits end at `end`.
fn dropped(end: u32) -> u32 {
    return max(BELOW, max(end, SIGNIFICAND) - SIGNIFICAND);
}

// The bit pattern of `kept`, after `drop` bits have fallen.
fn pattern(kept: vec2<u32>, drop: u32, up: bool) -> vec2<u32> {
    let low = kept.x + select(0u, 1u, up);
    if SIGNIFICAND == 53u {
        let high = kept.y + select(0u, 1u, low < kept.x) + ((drop - BELOW) << 20u);
        return select(vec2<u32>(low, high), infinity(), high >= infinity().y);
    }
    return min(vec2<u32>(low + ((drop - BELOW) << 23u), 0u), infinity());
}

fn bit_at(p: u32) -> u32 {
    return (word_at(p >> 5u) >> (p & 31u)) & 1u;
}

// True if any bit below bit `p` is set.
fn any_below(p: u32) -> bool {
    let part = word_at(p >> 5u) & ((1u << (p & 31u)) - 1u);
    return part != 0u || end_of_marks(SOME_OF_MAGNITUDE, p >> 5u) > 0u;
}

fn is_less(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

// The remainder with one more bit of the dividend, and the bit of the quotient.
struct Step {
    rest: vec2<u32>,
    bit: u32,
}

fn step_down(rest: vec2<u32>, bit: u32, divisor: vec2<u32>) -> Step {
    let doubled = vec2<u32>((rest.x << 1u) | bit, (rest.y << 1u) | (rest.x >> 31u));
    if is_less(doubled, divisor) {
        return Step(doubled, 0u);
    }
    let borrow = select(0u, 1u, doubled.x < divisor.x);
    return Step(vec2<u32>(doubled.x - divisor.x, doubled.y - divisor.y - borrow), 1u);
}

// The float next to the quotient, from the digits.
fn nearest_quotient(number: Number, count: vec2<u32>) -> vec2<u32> {
    var drop = BELOW;
    var kept = vec2<u32>(0u);
    var step = Step(vec2<u32>(0u), 0u);
    for (var p = number.end; p > drop; p--) {
        step = step_down(step.rest, bit_at(p - 1u), count);
        if step.bit == 1u && (kept.x | kept.y) == 0u {
            // The quotient's first bit says where its last one is.
            drop = dropped(p);
        }
        kept = vec2<u32>((kept.x << 1u) | step.bit, (kept.y << 1u) | (kept.x >> 31u));
    }
    let below = select(0u, bit_at(max(drop, 1u) - 1u), drop > 0u);
    let half = step_down(step.rest, below, count);
    let is_more = (half.rest.x | half.rest.y) != 0u || (drop > 0u && any_below(max(drop, 1u) - 1u));
    return pattern(kept, drop, half.bit == 1u && (is_more || (kept.x & 1u) == 1u));
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
