// The results of exact sums whose magnitudes are in the digits, each by one invocation: the sum, rounded once (nearest.wgsl), or the mean.
//
// A mean is divided first, bit by bit from the top, until all bits of the result are known. The remainder shows on which side of half way it lies.
#import shared/exact/digits
#import shared/exact/nearest

// The result as bits.
fn result(sum: u32, number: Number, tag: u32, count: vec2<u32>) -> vec2<u32> {
    let is_nothing = (count.x | count.y) == 0u;
    if MEAN && (tag & (NAN | PLUS_INFINITY | MINUS_INFINITY)) == 0u {
        if is_nothing {
            return quiet_nan();
        }
        if number.end > 0u {
            let minus = select(vec2<u32>(0u), upper_word(0x80000000u), number.is_negative);
            return nearest_quotient(sum, number, count) | minus;
        }
    }
    return rounded(number, tag, is_nothing);
}

// A word of a sum's magnitude; 0 beside its digits.
fn word_at(sum: u32, l: u32) -> u32 {
    if l < LIMBS {
        return digits[sum * LIMBS + l];
    }
    return 0u;
}

// The number whose magnitude is in the digits.
fn number_of_digits(sum: u32, is_negative: bool) -> Number {
    let end = end_of_marks(SOME_OF_MAGNITUDE, sum, LIMBS);
    if end == 0u {
        return Number(false, 0u, vec2<u32>(0u), false);
    }
    let below = vec2<u32>(word_at(sum, end - 3u), word_at(sum, end - 2u));
    let rest = end_of_marks(SOME_OF_MAGNITUDE, sum, max(end, 3u) - 3u) > 0u;
    return number_from(is_negative, word_at(sum, end - 1u), below, 32u * end, rest);
}

fn bit_at(sum: u32, p: u32) -> u32 { return (word_at(sum, p >> 5u) >> (p & 31u)) & 1u; }

// True if any bit below bit `p` is set.
fn any_below(sum: u32, p: u32) -> bool {
    let part = word_at(sum, p >> 5u) & ((1u << (p & 31u)) - 1u);
    return part != 0u || end_of_marks(SOME_OF_MAGNITUDE, sum, p >> 5u) > 0u;
}

// The remainder with one more bit of the dividend, and the bit of the quotient.
struct Step {
    rest: vec2<u32>,
    bit: u32,
}

fn step_down(rest: vec2<u32>, bit: u32, divisor: vec2<u32>) -> Step {
    let doubled = vec2<u32>((rest.x << 1u) | bit, (rest.y << 1u) | (rest.x >> 31u));
    let borrow = select(0u, 1u, doubled.x < divisor.x);
    let is_less = doubled.y < divisor.y || (doubled.y == divisor.y && borrow == 1u);
    // A bit that falls off the top makes it more than any divisor.
    if is_less && (rest.y >> 31u) == 0u {
        return Step(doubled, 0u);
    }
    return Step(vec2<u32>(doubled.x - divisor.x, doubled.y - divisor.y - borrow), 1u);
}

// The float next to the quotient, from the digits.
fn nearest_quotient(sum: u32, number: Number, count: vec2<u32>) -> vec2<u32> {
    var drop = BELOW;
    var kept = vec2<u32>(0u);
    var step = Step(vec2<u32>(0u), 0u);
    for (var p = number.end; p > drop; p--) {
        step = step_down(step.rest, bit_at(sum, p - 1u), count);
        if step.bit == 1u && (kept.x | kept.y) == 0u {
            // The quotient's first bit says where its last one is.
            drop = dropped(p);
        }
        kept = vec2<u32>((kept.x << 1u) | step.bit, (kept.y << 1u) | (kept.x >> 31u));
    }
    let below = select(0u, bit_at(sum, max(drop, 1u) - 1u), drop > 0u);
    let half = step_down(step.rest, below, count);
    let is_more = (half.rest.x | half.rest.y) != 0u || (drop > 0u && any_below(sum, max(drop, 1u) - 1u));
    return pattern(kept, drop, half.bit == 1u && (is_more || (kept.x & 1u) == 1u));
}
