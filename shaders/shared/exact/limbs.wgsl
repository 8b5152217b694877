// The long integers of a workgroup: numbers that do not fit a window in registers are added here.
//
// An exact sum of 32-bit floats is one integer of 320 bits: 277 for every bit of a float, 32 for 2^32 of them, and a sign. It is kept in limbs
// of 32 bits. `atomicAdd` returns the old value, which shows a wrap; then one is added to the next limb. The order of the additions does
// not matter, and no invocation waits. Negative magnitudes have their own limbs: in two's complement each small one would carry through
// all limbs. Some formats have several copies, against contention; digits.wgsl combines all.
#import entry
#import io
#import operator
#import format
#import exact/four_digits

// A number of turns that no compiler knows, so loops that rarely run are not unrolled: instructions that a core has not fetched take
// longer than their execution. No launch has 2^31 workgroups.
fn turns(count: u32) -> u32 {
    return count + (params.groups >> 31u);
}

var<workgroup> limbs: array<atomic<u32>, 2u * COPIES * LIMBS>;
// The copy that this invocation adds to.
var<private> copy_of: u32;

// All limbs zero; a barrier has to follow.
fn clear_limbs(at: Place) {
    copy_of = at.lid & (COPIES - 1u);
    for (var i = at.lid; i < 2u * COPIES * LIMBS; i += WG) {
        atomicStore(&limbs[i], 0u);
    }
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
    let number = whole(acc.sum);
    let sign = number.w >> 31u;
    let flip = 0u - sign;
    // May be negative: the number's bits below the lowest limb are zero.
    let p = bitcast<i32>((acc.tag & WINDOW) - LOWEST - UNDER);
    let k = bitcast<u32>(p) & 31u;
    let begin = set_of(sign);
    // The magnitude is all bits flipped and one added, if the number is negative.
    var words = number ^ vec4<u32>(flip);
    var carry = sign;
    var below = 0u;
    for (var i = 0u; i < turns(5u); i++) {
        let word = words.x + carry;
        carry = select(0u, carry, word == 0u);
        let limb = bitcast<u32>(p >> 5u) + i;
        // A sum never reaches beyond the last limb, nor below the first, so only zeros fall.
        if limb < LIMBS {
            add_limb(begin, limb, (word << k) | below);
        }
        below = (word >> 1u) >> (31u - k);
        words = vec4<u32>(words.yzw, 0u);
    }
}

var<workgroup> tag_of: u32;

// The tag of invocation 0's accumulator, for all invocations. Includes a barrier.
fn shared_tag(total: Acc, at: Place) -> u32 {
    if at.lid == 0u {
        tag_of = total.tag;
    }
    return workgroupUniformLoad(&tag_of);
}
