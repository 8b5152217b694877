// The long integer of a workgroup, in limbs of 32 bits: what does not fit a window in registers is added here, in any order.
//
// `atomicAdd` returns the old value, which shows a wrap; then one is added to the next limb. Negative magnitudes have their own limbs: in
// two's complement each small one would carry through all limbs. Some formats have several copies, against contention; digits.wgsl combines all.
#import lib/grid/entry
#import <constants>
#import exact/sums/*

// A number of turns that no compiler knows, so loops that rarely run are not unrolled: instructions that a core has not fetched take
// longer than their execution. No dispatch has 2^31 workgroups.
fn turns(count: u32) -> u32 { return count + (params.groups >> 31u); }

var<workgroup> limbs: array<atomic<u32>, 2u * COPIES * LIMBS>;
// The copy that this invocation adds to.
var<private> copy_of: u32;

// All limbs zero; a barrier has to follow.
fn clear_limbs(at: Place) {
    copy_of = member_of(at.lid) & (COPIES - 1u);
    for (var i = at.lid; i < 2u * COPIES * LIMBS; i += WG) {
        atomicStore(&limbs[i], 0u);
    }
}

// Adds a word to a limb of the set that begins at `begin`, and its carries to the limbs above. Out of the last limb a carry falls: sums are
// modulo 2^(32 · LIMBS).
fn add_limb(begin: u32, limb: u32, word: u32) {
    var carry = word;
    for (var i = limb; carry != 0u && i < turns(LIMBS); i++) {
        let before = atomicAdd(&limbs[begin + i], carry);
        carry = select(0u, 1u, before + carry < before);
    }
}

fn set_of(sign: u32) -> u32 { return (2u * copy_of + sign) * LIMBS; }

// Adds a magnitude of two words at bit `p`, which may be negative if the bits below 0 are zero. `sign` is 1 for a negative number.
fn add_number(sign: u32, p: u32, low: u32, high: u32) {
    let limb = bitcast<u32>(bitcast<i32>(p) >> 5u);
    let k = p & 31u;
    let begin = set_of(sign);
    // In two steps, as no shift goes by 32.
    add_limb(begin, limb, low << k);
    add_limb(begin, limb + 1u, ((low >> 1u) >> (31u - k)) | (high << k));
    add_limb(begin, limb + 2u, (high >> 1u) >> (31u - k));
}
