// Population covariance of two inputs: the mean product of the distances from their means (co_moments.wgsl). Empty input: NaN.
#import co_moments
#import real

fn finish(acc: Acc, n: u32) -> Real {
    // An infinity leaves no rest of a mean.
    if n < 1u || is_undefined(acc.low.x) || is_undefined(acc.low.y) {
        return not_a_number(n);
    }
    let powers = powers_of(acc.mean);
    return acc.products / Real(n) * powers.x * powers.y;
}
