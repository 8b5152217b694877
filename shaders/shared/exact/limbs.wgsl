// The workgroup's long integers: what does not fit a window in registers is added here.
//
// An exact sum of floats is one integer, of 320 bits for 32-bit floats: every bit that any float can have, and 33 more, as 2^32 of
// them add up to 2^32 times as much and a sum has a sign. It is kept in limbs of 32 bits. A number touches two or three of
// them, at the place that its exponent says. `atomicAdd` answers what was there before, and so whether the addition wrapped:
// then one more goes to the next limb, and so on. Who adds first does not matter, and nobody waits.
//
// Magnitudes of negative numbers have limbs of their own: two's complement would send carries through all limbs for
// each small negative number. And there are several copies, which invocations take in turn, so that fewer of them meet in one word.
// `to_digits` puts all together when everyone has added.
#import operator
#import io

const DIGITS: u32 = LIMBS - 1u;

var<workgroup> limbs: array<atomic<u32>, 2u * COPIES * LIMBS>;
// The sum in two's complement, the lowest word first. Written by `to_digits`.
var<workgroup> digits: array<u32, LIMBS>;
// Which copy this invocation adds to.
var<private> copy_of: u32;

// All limbs zero; a barrier has to follow.
fn clear_limbs(at: Place) {
    copy_of = at.lid & (COPIES - 1u);
    for (var i = at.lid; i < 2u * COPIES * LIMBS; i += WG) {
        atomicStore(&limbs[i], 0u);
    }
    clear_bins(at);
}

// Adds a word to a limb of the set that begins at `begin`.
fn add_limb(begin: u32, limb: u32, word: u32) {
    if word != 0u {
        let before = atomicAdd(&limbs[begin + limb], word);
        if before + word < before {
            carry_on(begin, limb + 1u);
        }
    }
}

fn carry_on(begin: u32, limb: u32) {
    // Out of the last limb a carry falls: sums are modulo 2^(32 · LIMBS), as two's complement wants it.
    for (var i = limb; i < LIMBS; i++) {
        if atomicAdd(&limbs[begin + i], 1u) != 0xffffffffu {
            return;
        }
    }
}

fn set_of(sign: u32) -> u32 {
    return (2u * copy_of + sign) * LIMBS;
}

// A magnitude of two words at bit `p`; `sign` is 1 for a negative number.
fn add_number(sign: u32, p: u32, low: u32, high: u32) {
    let k = p & 31u;
    let begin = set_of(sign);
    // In two steps, as no shift goes by 32.
    add_limb(begin, p >> 5u, low << k);
    add_limb(begin, (p >> 5u) + 1u, ((low >> 1u) >> (31u - k)) | (high << k));
    add_limb(begin, (p >> 5u) + 2u, (high >> 1u) >> (31u - k));
}

// What an accumulator holds.
fn spill(acc: Acc) {
    let number = whole(acc);
    let sign = number.w >> 31u;
    let flip = 0u - sign;
    // The magnitude: all bits flipped and one added where it is negative.
    var word = (number ^ vec4<u32>(flip));
    word.x += sign;
    let c0 = select(0u, 1u, sign == 1u && word.x == 0u);
    word.y += c0;
    let c1 = select(0u, 1u, c0 == 1u && word.y == 0u);
    word.z += c1;
    word.w += select(0u, 1u, c1 == 1u && word.z == 0u);
    let p = (acc.tag & WINDOW) - LOWEST;
    let k = p & 31u;
    let r = 31u - k;
    let begin = set_of(sign);
    let limb = p >> 5u;
    if (word.x | word.y | word.z | word.w) == 0u {
        return;
    }
    add_limb(begin, limb, word.x << k);
    add_limb(begin, limb + 1u, ((word.x >> 1u) >> r) | (word.y << k));
    add_limb(begin, limb + 2u, ((word.y >> 1u) >> r) | (word.z << k));
    // A sum never reaches beyond the last limb, so zeros are all that falls.
    if limb + 3u < LIMBS {
        add_limb(begin, limb + 3u, ((word.z >> 1u) >> r) | (word.w << k));
    }
    if limb + 4u < LIMBS {
        add_limb(begin, limb + 4u, (word.w >> 1u) >> r);
    }
}

// What the conversion needs of the workgroup's accumulator: its number in two's complement with a fifth word for the
// sign, and its tag.
var<workgroup> number_of: array<u32, 5>;
var<workgroup> tag_of: u32;
// What `digits` do not hold yet, signed: carries into the next digit.
var<workgroup> carries: array<i32, LIMBS>;

// The tag of invocation 0's accumulator, for all invocations. Includes a barrier.
fn shared_tag(total: Acc, at: Place) -> u32 {
    if at.lid == 0u {
        tag_of = total.tag;
    }
    return workgroupUniformLoad(&tag_of);
}

// Word `l` of the accumulator's number, at its place in the sum.
fn shifted_word(l: u32, p: u32) -> u32 {
    // How far the word lies above the number's first bit; below it there is nothing, above it the sign.
    let at = bitcast<i32>(32u * l) - bitcast<i32>(p);
    let word = at >> 5u;
    let k = bitcast<u32>(at) & 31u;
    let lower = select(0u, number_of[clamp(word, 0, 4)], word >= 0);
    let upper = select(0u, number_of[clamp(word + 1, 0, 4)], word + 1 >= 0);
    return (lower >> k) | ((upper << 1u) << (31u - k));
}

// The workgroup's accumulator, which invocation 0 holds and which has this tag, and the limbs as one number in
// `digits`: for invocation 0, and after a barrier for all. One invocation computes each digit. Only spilled numbers
// need carries, which one invocation hands on.
fn to_digits(total: Acc, tag: u32, at: Place) {
    if at.lid == 0u {
        let number = whole(total);
        number_of[0] = number.x;
        number_of[1] = number.y;
        number_of[2] = number.z;
        number_of[3] = number.w;
        number_of[4] = 0u - (number.w >> 31u);
    }
    let is_spilled = (tag & SPILLED) != 0u;
    if is_spilled {
        empty_bins(at);
    }
    workgroupBarrier();
    for (var l = at.lid; l < LIMBS; l += WG) {
        var low = shifted_word(l, (tag & WINDOW) - LOWEST);
        var high = 0i;
        if is_spilled {
            for (var c = 0u; c < COPIES; c++) {
                let plus = atomicLoad(&limbs[2u * c * LIMBS + l]);
                low += plus;
                high += select(0i, 1i, low < plus);
                let minus = atomicLoad(&limbs[(2u * c + 1u) * LIMBS + l]);
                high -= select(0i, 1i, low < minus);
                low -= minus;
            }
        }
        digits[l] = low;
        carries[l] = high;
    }
    workgroupBarrier();
    if is_spilled && at.lid == 0u {
        var carry = 0i;
        for (var l = 0u; l < LIMBS; l++) {
            let before = digits[l];
            let low = before + bitcast<u32>(carry);
            // One more or one less: a carry down borrows unless it wraps back.
            var wrapped = 0i;
            if carry > 0i && low < before {
                wrapped = 1i;
            }
            if carry < 0i && low > before {
                wrapped = -1i;
            }
            digits[l] = low;
            carry = carries[l] + wrapped;
        }
    }
}
