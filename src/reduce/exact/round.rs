//! From a long integer to the nearest float.

/// The properties of a float type that rounding needs.
#[derive(Clone, Copy)]
pub(super) struct Target {
    /// Bits of the significand, the first one included.
    pub(super) significand: usize,
    /// Bits between the integer's unit and the last place of the smallest float.
    pub(super) below: usize,
    /// The bits of infinity.
    pub(super) infinity: u64,
}

/// Bits of a quotient behind the point: enough to decide on which side of half way it lies.
const FRACTION: usize = 64;

/// The float nearest to `magnitude / divisor`, ties to even, as bits without a sign. `magnitude` has its lowest word first.
pub(super) fn nearest(magnitude: &[u32], divisor: u64, target: Target) -> u64 {
    let (quotient, inexact) = divide(magnitude, divisor);
    let Some(highest) = quotient.iter().rposition(|word| *word != 0) else {
        // Less than 2^-64 units is less than half of one.
        return 0;
    };
    let top = 32 * highest + quotient[highest].ilog2() as usize;
    let shift = (target.below + FRACTION).max((top + 1).saturating_sub(target.significand));
    let kept = (0..target.significand).fold(0, |kept, i| kept | u64::from(bit(&quotient, shift + i)) << i);
    let half = bit(&quotient, shift - 1);
    let less = inexact || (0..shift - 1).any(|at| bit(&quotient, at));
    let up = half && (less || kept & 1 == 1);
    // The first bit of a normal significand adds one to the exponent; so does a carry out of the significand.
    let exponent = (shift - target.below - FRACTION) as u64;
    ((exponent << (target.significand - 1)) + kept + u64::from(up)).min(target.infinity)
}

/// The quotient in units of 2^-64, and whether anything is left over.
fn divide(magnitude: &[u32], divisor: u64) -> (Vec<u32>, bool) {
    let mut quotient = [vec![0; FRACTION / 32], magnitude.to_vec()].concat();
    let mut rest = 0u128;
    for word in quotient.iter_mut().rev() {
        rest = rest << 32 | u128::from(*word);
        *word = (rest / u128::from(divisor)) as u32;
        rest %= u128::from(divisor);
    }
    (quotient, rest > 0)
}

fn bit(words: &[u32], at: usize) -> bool {
    words.get(at / 32).is_some_and(|word| word >> (at % 32) & 1 == 1)
}
