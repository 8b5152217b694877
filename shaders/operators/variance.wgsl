// Population variance: the mean squared distance from the mean (moments.wgsl). Empty input: NaN.
#import operators/shared/moments

fn finish(acc: Acc, n: u32) -> Real { return mean_square(acc, n, 0u); }
