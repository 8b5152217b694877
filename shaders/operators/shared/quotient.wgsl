// The mean of integers, correctly rounded: their exact sum (exact_sum.wgsl), by long division.
//
// Division of floats may be off by 2.5 units in WGSL, and differs between GPUs. The quotient of two integers, computed bit by bit, is exact and
// needs no float arithmetic: this file builds the bits of the result, a 64-bit float even on GPUs that cannot compute with those. Its hundred
// steps per result are negligible unless segments are very short.
//
// `Word` is an unsigned integer of the result's width, and `upper` and `lower` are the two words of the sum. The sum of n elements is less than
// n times the range of a word, so the upper word is less than n.
#import <operator>
#ifdef bits_64
alias Word = u64;
const BITS: u32 = 64u;
const DIGITS: u32 = 53u;
const BIAS: i32 = 1023i;
const NOT_A_NUMBER: Word = 0x7ff8000000000000lu;

// The sum is stored as two sums of halves: 2^32 times the first plus the second takes 128 bits.
fn lower(acc: Acc) -> Word { return (bitcast<u64>(acc.x) << 32u) + bitcast<u64>(acc.y); }

fn upper(acc: Acc) -> Word {
    let carry = select(0lu, 1lu, lower(acc) < bitcast<u64>(acc.y));
    return bitcast<u64>(acc.x >> 32u) + carry;
}
#else
alias Word = u32;
const BITS: u32 = 32u;
const DIGITS: u32 = 24u;
const BIAS: i32 = 127i;
const NOT_A_NUMBER: Word = 0x7fc00000u;

fn lower(acc: Acc) -> Word { return acc.x; }
fn upper(acc: Acc) -> Word { return acc.y; }
#endif

// `high` and `low` divided by `n`, as the bits of a positive float: rounded to nearest, ties to even.
fn quotient(high: Word, low: Word, n: Word) -> Word {
    if (high | low) == Word(0) {
        return Word(0);
    }
    var rest = high;
    var next = low;
    var digits = Word(0);
    var exponent = i32(BITS);
    // Two more digits than the float can hold.
    while (digits >> (DIGITS + 1u)) == Word(0) {
        let carry = rest >> (BITS - 1u);
        rest = (rest << 1u) | (next >> (BITS - 1u));
        next = next << 1u;
        digits = digits << 1u;
        if carry != Word(0) || rest >= n {
            rest -= n;
            digits |= Word(1);
        }
        exponent -= 1;
    }
    // The remainder only decides whether half a unit is exactly half.
    digits |= select(Word(0), Word(1), (rest | next) != Word(0));
    let rounded = (digits + Word(1) + ((digits >> 2u) & Word(1))) >> 2u;
    // The leading digit adds one to the exponent's field, and a carry out of the digits another one.
    return (Word(exponent + i32(DIGITS) + BIAS) << (DIGITS - 1u)) + rounded;
}

fn finish(acc: Acc, n: u32) -> Word {
    if n == 0u {
        return NOT_A_NUMBER;
    }
    var high = upper(acc);
    var low = lower(acc);
    var sign = Word(0);
#ifdef signed
    sign = (high >> (BITS - 1u)) << (BITS - 1u);
    if sign != Word(0) {
        low = ~low + Word(1);
        high = ~high + select(Word(0), Word(1), low == Word(0));
    }
#endif
    return sign | quotient(high, low, Word(n));
}
