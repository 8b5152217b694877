// Population standard deviation: the square root of the result of variance.wgsl. Empty input: NaN.
#import moments
#import real

fn finish(acc: Acc, n: u32) -> Real {
    if n < 1u {
        return not_a_number(n);
    }
    return root_mean_square(acc, n, n);
}
