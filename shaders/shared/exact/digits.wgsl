// The digits of sums: a workgroup's limbs become integers in two's complement, in words of 32 bits.
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
#import lib/grid/entry
#import <constants>
#import exact/sums/*
#import shared/exact/limbs

const DIGITS: u32 = LIMBS - 1u;
// Words of 64 bits in front of a state's digits, and in all.
const HEAD: u32 = 6u;
const WORDS: u32 = HEAD + DIGITS;

// Of each sum the lowest word first.
var<workgroup> digits: array<u32, MOST_SUMS * LIMBS>;
// The carries out of the digits.
var<workgroup> overflows: array<u32, MOST_SUMS * LIMBS>;

// A bit for each digit.
const MARKS: u32 = (LIMBS + 31u) / 32u;
// Those that make a carry, those that do not pass one on, those that are not zero, and the same of the magnitude.
const MAKES: u32 = 0u;
const STOPS: u32 = MARKS;
const SOME: u32 = 2u * MARKS;
const SOME_OF_MAGNITUDE: u32 = 3u * MARKS;
var<workgroup> digit_marks: array<atomic<u32>, MOST_SUMS * 4u * MARKS>;

// A digit of a sum is a pair: the number of the sum, and that of the digit. Those of all sums lie one behind the other.
fn digit_of(i: u32) -> vec2<u32> { return select(vec2<u32>(i / LIMBS, i % LIMBS), vec2<u32>(0u, i), MOST_SUMS == 1u); }
fn word_of_marks(which: u32, digit: vec2<u32>) -> u32 { return digit.x * 4u * MARKS + which + (digit.y >> 5u); }

fn mark(which: u32, digit: vec2<u32>, is_so: bool) {
    if is_so {
        atomicOr(&digit_marks[word_of_marks(which, digit)], 1u << (digit.y & 31u));
    }
}

fn is_marked(which: u32, digit: vec2<u32>) -> bool { return ((atomicLoad(&digit_marks[word_of_marks(which, digit)]) >> (digit.y & 31u)) & 1u) == 1u; }

// One more than the highest marked digit of a sum below `end`; 0 if none is.
fn end_of_marks(which: u32, sum: u32, end: u32) -> u32 {
    var found = 0u;
    for (var w = 0u; w < MARKS; w++) {
        let below = select((1u << (end & 31u)) - 1u, 0xffffffffu, end >= 32u * (w + 1u));
        let word = select(0u, atomicLoad(&digit_marks[sum * 4u * MARKS + which + w]) & below, end > 32u * w);
        found = select(found, 32u * w + 1u + firstLeadingBit(word), word != 0u);
    }
    return found;
}

// Adds a word to a number of two, the lower one first.
fn plus_word(a: vec2<u32>, b: u32) -> vec2<u32> {
    let low = a.x + b;
    return vec2<u32>(low, a.y + select(0u, 1u, low < b));
}

// Computes `digits` from the limbs. All invocations take part. Includes barriers, also in front.
fn to_digits(at: Place) {
    for (var i = at.lid; i < sums() * 4u * MARKS; i += WG) {
        atomicStore(&digit_marks[i], 0u);
    }
    workgroupBarrier();
    for (var i = at.lid; i < sums() * LIMBS; i += WG) {
        let digit = digit_of(i);
        // Minus a number is plus its flipped bits and one.
        var sum = vec2<u32>(select(0u, COPIES / sums(), digit.y == 0u), 0u);
        for (var c = digit.x; c < COPIES; c += sums()) {
            sum = plus_word(sum, atomicLoad(&limbs[2u * c * LIMBS + digit.y]));
            sum = plus_word(sum, ~atomicLoad(&limbs[(2u * c + 1u) * LIMBS + digit.y]));
        }
        digits[i] = sum.x;
        overflows[i] = sum.y;
    }
    workgroupBarrier();
    for (var i = at.lid; i < sums() * LIMBS; i += WG) {
        let digit = digit_of(i);
        var sum = vec2<u32>(digits[i], 0u);
        if digit.y > 0u {
            sum = plus_word(sum, overflows[i - 1u]);
        }
        digits[i] = sum.x;
        mark(MAKES, digit, sum.y == 1u);
        mark(STOPS, digit, sum.x != 0xffffffffu);
    }
    workgroupBarrier();
    for (var i = at.lid; i < sums() * LIMBS; i += WG) {
        let digit = digit_of(i);
        let stop = end_of_marks(STOPS, digit.x, digit.y);
        if stop > 0u && is_marked(MAKES, vec2<u32>(digit.x, stop - 1u)) {
            digits[i] += 1u;
        }
        mark(SOME, digit, digits[i] != 0u);
    }
    workgroupBarrier();
}

// True if a sum is negative, before `to_magnitude`.
fn is_minus(sum: u32) -> bool { return (digits[(sum + 1u) * LIMBS - 1u] >> 31u) == 1u; }

// Makes digits those of magnitudes, and returns whether the sum of the invocation's number was negative. All invocations take part. Includes
// barriers.
fn to_magnitude(at: Place) -> bool {
    let was_minus = is_minus(min(at.lid, MOST_SUMS - 1u));
    for (var i = at.lid; i < sums() * LIMBS; i += WG) {
        overflows[i] = select(0u, 1u, is_minus(digit_of(i).x));
    }
    workgroupBarrier();
    for (var i = at.lid; i < sums() * LIMBS; i += WG) {
        let digit = digit_of(i);
        if overflows[i] == 1u {
            digits[i] = ~digits[i] + select(0u, 1u, end_of_marks(SOME, digit.x, digit.y) == 0u);
        }
        mark(SOME_OF_MAGNITUDE, digit, digits[i] != 0u);
    }
    workgroupBarrier();
    return was_minus;
}
