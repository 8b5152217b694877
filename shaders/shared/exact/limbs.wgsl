// The long integers of a workgroup: numbers that do not fit a window in registers are added here.
//
// An exact sum of 32-bit floats is one integer of 320 bits: 277 for every bit that a float can have, 32 because there may
// be 2^32 of them, and a sign. It is kept in limbs of 32 bits. A number is added to two or three of them, at the place
// of its exponent. `atomicAdd` returns the old value, which shows whether the addition wrapped; then one is added
// to the next limb, and so on. The order of the additions does not matter, and no invocation waits.
//
// Magnitudes of negative numbers have their own limbs: in two's complement each small negative number would carry
// through all limbs. Some formats have several copies, so that fewer invocations add to the same word. `to_digits`
// combines all of them at the end.
#import operator
#import io

const DIGITS: u32 = LIMBS - 1u;

// A number of turns, so that no compiler knows it and writes the loop out: what runs rarely should take little
// space, because instructions that a core has not fetched yet take longer than their execution. No launch has
// 2^31 workgroups.
fn turns(count: u32) -> u32 {
    return count + (params.groups >> 31u);
}

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
    for (var i = limb; i < turns(LIMBS); i++) {
        if atomicAdd(&limbs[begin + i], 1u) != 0xffffffffu {
            return;
        }
    }
}

fn set_of(sign: u32) -> u32 {
    return (2u * copy_of + sign) * LIMBS;
}

// Adds a magnitude of two words at bit `p`. `sign` is 1 for a negative number.
fn add_number(sign: u32, p: u32, low: u32, high: u32) {
    let k = p & 31u;
    let begin = set_of(sign);
    // In two steps, as no shift goes by 32.
    add_limb(begin, p >> 5u, low << k);
    add_limb(begin, (p >> 5u) + 1u, ((low >> 1u) >> (31u - k)) | (high << k));
    add_limb(begin, (p >> 5u) + 2u, (high >> 1u) >> (31u - k));
}

// Adds what an accumulator holds.
fn spill(acc: Acc) {
    let number = whole(acc);
    let sign = number.w >> 31u;
    let flip = 0u - sign;
    let p = (acc.tag & WINDOW) - LOWEST;
    let k = p & 31u;
    let begin = set_of(sign);
    // The magnitude is all bits flipped and one added, if the number is negative.
    var words = number ^ vec4<u32>(flip);
    var carry = sign;
    var below = 0u;
    for (var i = 0u; i < turns(5u); i++) {
        let word = words.x + carry;
        carry = select(0u, carry, word == 0u);
        let limb = (p >> 5u) + i;
        // A sum never reaches beyond the last limb, so only zeros fall.
        if limb < LIMBS {
            add_limb(begin, limb, (word << k) | below);
        }
        below = (word >> 1u) >> (31u - k);
        words = vec4<u32>(words.yzw, 0u);
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

// The workgroup's accumulator, which invocation 0 holds and which has this tag, and the limbs, as digits that still
// have carries; a barrier follows. One invocation computes each digit.
fn to_digits(total: Acc, tag: u32, at: Place) {
    if at.lid == 0u {
        let number = whole(total);
        number_of[0] = number.x;
        number_of[1] = number.y;
        number_of[2] = number.z;
        number_of[3] = number.w;
        number_of[4] = 0u - (number.w >> 31u);
    }
    workgroupBarrier();
    for (var l = at.lid; l < LIMBS; l += WG) {
        var low = shifted_word(l, (tag & WINDOW) - LOWEST);
        var high = 0i;
        for (var c = 0u; c < COPIES; c++) {
            let plus = atomicLoad(&limbs[2u * c * LIMBS + l]);
            low += plus;
            high += select(0i, 1i, low < plus);
            let minus = atomicLoad(&limbs[(2u * c + 1u) * LIMBS + l]);
            high -= select(0i, 1i, low < minus);
            low -= minus;
        }
        digits[l] = low;
        carries[l] = high;
    }
    workgroupBarrier();
}

// Adds a carry to digit `l`, and returns the carry into the next one.
fn carry_into(l: u32, carry: i32) -> i32 {
    let before = digits[l];
    let after = before + bitcast<u32>(carry);
    digits[l] = after;
    // One more or one less: a carry down borrows unless it wraps back.
    let up = select(0i, 1i, carry > 0i && after < before);
    return carries[l] + select(up, -1i, carry < 0i && after > before);
}
