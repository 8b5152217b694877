// The digits of a sum: a workgroup's accumulator and its limbs become one integer in two's complement, in words of 32 bits.
//
// An invocation computes a digit: it adds up the words of its place, and what overflows goes to the next place. Then a carry is 0 or 1, but it may
// pass through many digits that are all ones. By carry-lookahead, a digit makes a carry, passes one on because it is all ones, or stops it:
// the carry into a digit is that of the next lower digit that is not all ones. With digits of 4 bits, 0x0ff9 + 0x0008:
//
//     digit                    3       2       1       0
//     words of the place       0       f       f       9 + 8 = 0x11
//     with overflows           0       f       f + 1 = 0x10    1
//     makes a carry            no      no      yes     no
//     is all ones              no      yes     no      no
//     carry in                 of 1    of 1    of 0    -       digit 3 looks past digit 2, which is all ones
//     digit                    1       0       0       1       0x1001
//
// The negative of a number is made in the same way: its digits are flipped, and one is added to each digit below which all are zero.
#import entry
#import io
#import types
#import operator
#import format
#import exact/four_digits
#import exact/limbs

const DIGITS: u32 = LIMBS - 1u;
// Words of 64 bits in front of a state's digits, and in all.
const HEAD: u32 = 6u;
const WORDS: u32 = HEAD + DIGITS;

// The lowest word first.
var<workgroup> digits: array<u32, LIMBS>;
// The carries out of the digits.
var<workgroup> overflows: array<u32, LIMBS>;
// The accumulator's number in two's complement with a fifth word for the sign.
var<workgroup> number_of: array<u32, 5>;

// A bit for each digit.
const MARKS: u32 = (LIMBS + 31u) / 32u;
// Those that make a carry, those that do not pass one on, those that are not zero, and the same of the magnitude.
const MAKES: u32 = 0u;
const STOPS: u32 = MARKS;
const SOME: u32 = 2u * MARKS;
const SOME_OF_MAGNITUDE: u32 = 3u * MARKS;
var<workgroup> digit_marks: array<atomic<u32>, 4u * MARKS>;

fn mark(which: u32, digit: u32, is_so: bool) {
    if is_so {
        atomicOr(&digit_marks[which + (digit >> 5u)], 1u << (digit & 31u));
    }
}

fn is_marked(which: u32, digit: u32) -> bool {
    return ((atomicLoad(&digit_marks[which + (digit >> 5u)]) >> (digit & 31u)) & 1u) == 1u;
}

// One more than the highest marked digit below `end`; 0 if none is.
fn end_of_marks(which: u32, end: u32) -> u32 {
    var found = 0u;
    for (var w = 0u; w < MARKS; w++) {
        let below = select((1u << (end & 31u)) - 1u, 0xffffffffu, end >= 32u * (w + 1u));
        let word = select(0u, atomicLoad(&digit_marks[which + w]) & below, end > 32u * w);
        found = select(found, 32u * w + 1u + firstLeadingBit(word), word != 0u);
    }
    return found;
}

// Word `l` of the accumulator's number, at its place in the sum.
fn shifted_word(l: u32, p: u32) -> u32 {
    // Distance of the word above the number's first bit; below it there is nothing, above it the sign.
    let at = bitcast<i32>(32u * l) - bitcast<i32>(p);
    let word = at >> 5u;
    let k = bitcast<u32>(at) & 31u;
    let lower = select(0u, number_of[clamp(word, 0, 4)], word >= 0);
    let upper = select(0u, number_of[clamp(word + 1, 0, 4)], word + 1 >= 0);
    return (lower >> k) | ((upper << 1u) << (31u - k));
}

// Two words.
struct Wide {
    low: u32,
    high: u32,
}

fn plus(a: Wide, b: u32) -> Wide {
    let low = a.low + b;
    return Wide(low, a.high + select(0u, 1u, low < b));
}

// Computes `digits` of the workgroup's accumulator, which invocation 0 holds and which has this tag, and the limbs. All invocations
// take part. Includes barriers.
fn to_digits(total: Acc, tag: u32, at: Place) {
    if at.lid == 0u {
        let number = whole(total.sum);
        number_of[0] = number.x;
        number_of[1] = number.y;
        number_of[2] = number.z;
        number_of[3] = number.w;
        number_of[4] = 0u - (number.w >> 31u);
    }
    for (var i = at.lid; i < 4u * MARKS; i += WG) {
        atomicStore(&digit_marks[i], 0u);
    }
    workgroupBarrier();
    for (var l = at.lid; l < LIMBS; l += WG) {
        var sum = Wide(shifted_word(l, (tag & WINDOW) - LOWEST - UNDER), 0u);
        // Minus a number is plus its flipped bits and one.
        sum = plus(sum, select(0u, COPIES, l == 0u));
        for (var c = 0u; c < COPIES; c++) {
            sum = plus(sum, atomicLoad(&limbs[2u * c * LIMBS + l]));
            sum = plus(sum, ~atomicLoad(&limbs[(2u * c + 1u) * LIMBS + l]));
        }
        digits[l] = sum.low;
        overflows[l] = sum.high;
    }
    workgroupBarrier();
    for (var l = at.lid; l < LIMBS; l += WG) {
        var sum = Wide(digits[l], 0u);
        if l > 0u {
            sum = plus(sum, overflows[l - 1u]);
        }
        digits[l] = sum.low;
        mark(MAKES, l, sum.high == 1u);
        mark(STOPS, l, sum.low != 0xffffffffu);
    }
    workgroupBarrier();
    for (var l = at.lid; l < LIMBS; l += WG) {
        let stop = end_of_marks(STOPS, l);
        if stop > 0u && is_marked(MAKES, stop - 1u) {
            digits[l] += 1u;
        }
        mark(SOME, l, digits[l] != 0u);
    }
    workgroupBarrier();
}

// Makes digits those of the magnitude, and returns whether the number was negative. All invocations take part. Includes
// barriers.
fn to_magnitude(at: Place) -> bool {
    let is_flipped = (digits[LIMBS - 1u] >> 31u) == 1u;
    workgroupBarrier();
    for (var l = at.lid; l < LIMBS; l += WG) {
        if is_flipped {
            digits[l] = ~digits[l] + select(0u, 1u, end_of_marks(SOME, l) == 0u);
        }
        mark(SOME_OF_MAGNITUDE, l, digits[l] != 0u);
    }
    workgroupBarrier();
    return is_flipped;
}
