// Population covariance of two inputs: the mean product of the distances from their means (co_moments.wgsl). Empty input: NaN.
#import operators/shared/co_moments
#import operators/shared/real
#import operators/shared/running_mean

fn finish(acc: Acc, n: u32) -> Real {
    // An infinity leaves no rest of a mean.
    if n < 1u || is_undefined(acc.low.x) || is_undefined(acc.low.y) {
        return not_a_number(n);
    }
    // The larger unit first, so that none of the products leaves the range of floats unless the result does. Elements were halved.
    let x = power_of(unit_of(acc.mean.x));
    let y = power_of(unit_of(acc.mean.y));
    return acc.products / Real(n) * max(x, y) * min(x, y) * Real(4);
}
