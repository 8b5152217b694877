// Population variance: the mean squared distance from the mean (moments.wgsl). Empty input: NaN.
#import moments
#import real

fn finish(acc: Acc, n: u32) -> Real {
    if n < 1u {
        return not_a_number(n);
    }
    return mean_square(acc, n, n);
}
