// Sample standard deviation: the square root of the result of sample_variance.wgsl. Fewer than two elements: NaN.
#import operators/shared/moments

fn finish(acc: Acc, n: u32) -> Real { return root_mean_square(acc, n, 1u); }
