// variance: the variances of each group from its state, a workgroup a group. finish.wgsl reads them from the state.
//
// Reads counts, sums and sums of squares. Writes two words over the sum of squares: NaN if a divisor is 0 or a flag is set.
//
// The variance of n values is (n Σx² − (Σx)²) / n², the sample variance divides by n (n − 1). The numerator is an integer in units of 2^-298, so
// nothing is lost to cancellation; its quotient is rounded once (shared/exact/round.wgsl):
//
//     1 2 3      n = 3, Σx = 6, Σx² = 14      (42 − 36) / 9 = 2/3      of a sample 6 / 6 = 1
//
// The sum is a − b, two magnitudes, so the numerator is (n Σx² + 2ab) − (a² + b²). As in long multiplication, an invocation adds the products
// of all limb pairs that fall on its place. The three words of its sum go to different copies of the limbs, which shared/exact/digits.wgsl adds up.
//
// Cost: four products for each of 11 · 11 pairs of limbs; zero limbs are skipped.
#import lib/grid/entry
#import group/shared/io
#import shared/exact/limbs
#import shared/exact/digits
#import shared/exact/nearest
#import shared/exact/round
#import lib/lane/full_product
#import group/shared/states

// The limbs of a and of b.
var<workgroup> magnitudes_of_sum: array<u32, 22>;

// Adds a product to a number, the lowest word first.
fn plus_product(number: vec3<u32>, x: u32, y: u32) -> vec3<u32> {
    let product = full_product(x, y);
    let low = number.x + product.x;
    // A product's upper word has room for a carry.
    let upper = product.y + select(0u, 1u, low < product.x);
    let middle = number.y + upper;
    return vec3<u32>(low, middle, number.z + select(0u, 1u, middle < upper));
}

// Puts a number to a place of the copies of a sign. What lies beyond the last limb is beyond the numerator.
fn put(number: vec3<u32>, sign: u32, place: u32) {
    var words = number;
    for (var i = 0u; i < 3u; i++) {
        if place + i < LIMBS {
            atomicStore(&limbs[(2u * i + sign) * LIMBS + place + i], words.x);
        }
        words = words.yzx;
    }
}

fn multiply(state: u32, count: u32, place: u32) {
    var added = vec3<u32>(0u);
    var taken = vec3<u32>(0u);
    if place < SQUARE_LIMBS {
        added = plus_product(added, count, take(state + SQUARE_SUM + place));
    }
    for (var i = 0u; i < min(place + 1u, STATE_LIMBS); i++) {
        let a = magnitudes_of_sum[i];
        let b = magnitudes_of_sum[STATE_LIMBS + i];
        let other = place - i;
        // Most limbs are 0.
        if other < STATE_LIMBS && (a | b) != 0u {
            let other_a = magnitudes_of_sum[other];
            let other_b = magnitudes_of_sum[STATE_LIMBS + other];
            added = plus_product(plus_product(added, a, other_b), b, other_a);
            taken = plus_product(plus_product(taken, a, other_a), b, other_b);
        }
    }
    put(added, 0u, place);
    put(taken, 1u, place);
}

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.groups {
        return;
    }
    let state = state_of(wg.index);
    let count = atomicLoad(&states[state + COUNT]);
    for (var i = at.lid; i < 2u * STATE_LIMBS; i += WG) {
        magnitudes_of_sum[i] = atomicLoad(&states[state + SUM + i]);
    }
    clear_limbs(at);
    workgroupBarrier();
    for (var place = at.lid; place < LIMBS; place += WG) {
        multiply(state, count, place);
    }
    workgroupBarrier();
    to_digits(at);
    to_magnitude(at);
    // Invocation 0 divides by n², invocation 1 by n (n − 1).
    if at.lid < 2u {
        let divisor = full_product(count, count - at.lid);
        var variance = quiet_nan().x;
        if (divisor.x | divisor.y) != 0u && atomicLoad(&states[state + FLAGS]) == 0u {
            variance = nearest_quotient(0u, number_of_digits(0u, false), divisor).x;
        }
        atomicStore(&states[state + SQUARE_SUM + at.lid], variance);
    }
}
