// Population standard deviation: the square root of the result of variance.wgsl. Empty input: NaN.
#import operators/shared/moments

fn finish(acc: Acc, n: u32) -> Real { return root_mean_square(acc, n, 0u); }
