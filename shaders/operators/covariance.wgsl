// Population covariance of two inputs: the mean product of the distances from their means (co_moments.wgsl). Empty input: NaN.
#import co_moments
#import real

fn finish(acc: Acc, n: u32) -> Real {
    if n < 1u {
        return not_a_number(n);
    }
    return acc.products / Real(n);
}
