// Sample standard deviation: the square root of the result of sample_variance.wgsl. Fewer than two elements: NaN.
#import moments
#import real

fn finish(acc: Acc, n: u32) -> Real {
    if n < 2u {
        return not_a_number(n >> 1u);
    }
    return root_mean_square(acc, n - 1u, n);
}
