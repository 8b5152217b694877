// The digits of a sum: a workgroup's limbs become one integer in two's complement, in words of 32 bits.
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
#import shared/exact/limbs

const DIGITS: u32 = LIMBS - 1u;
// Words of 64 bits in front of a state's digits, and in all.
const HEAD: u32 = 6u;
const WORDS: u32 = HEAD + DIGITS;

// The lowest word first.
var<workgroup> digits: array<u32, LIMBS>;
// The carries out of the digits.
var<workgroup> overflows: array<u32, LIMBS>;

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

fn is_marked(which: u32, digit: u32) -> bool { return ((atomicLoad(&digit_marks[which + (digit >> 5u)]) >> (digit & 31u)) & 1u) == 1u; }

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

// Adds a word to a number of two, the lower one first.
fn plus_word(a: vec2<u32>, b: u32) -> vec2<u32> {
    let low = a.x + b;
    return vec2<u32>(low, a.y + select(0u, 1u, low < b));
}

// Computes `digits` from the limbs. All invocations take part. Includes barriers, also in front.
fn to_digits(at: Place) {
    for (var i = at.lid; i < 4u * MARKS; i += WG) {
        atomicStore(&digit_marks[i], 0u);
    }
    workgroupBarrier();
    for (var l = at.lid; l < LIMBS; l += WG) {
        // Minus a number is plus its flipped bits and one.
        var sum = vec2<u32>(select(0u, COPIES, l == 0u), 0u);
        for (var c = 0u; c < COPIES; c++) {
            sum = plus_word(sum, atomicLoad(&limbs[2u * c * LIMBS + l]));
            sum = plus_word(sum, ~atomicLoad(&limbs[(2u * c + 1u) * LIMBS + l]));
        }
        digits[l] = sum.x;
        overflows[l] = sum.y;
    }
    workgroupBarrier();
    for (var l = at.lid; l < LIMBS; l += WG) {
        var sum = vec2<u32>(digits[l], 0u);
        if l > 0u {
            sum = plus_word(sum, overflows[l - 1u]);
        }
        digits[l] = sum.x;
        mark(MAKES, l, sum.y == 1u);
        mark(STOPS, l, sum.x != 0xffffffffu);
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
