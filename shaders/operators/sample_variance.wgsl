// Sample variance: divided by n - 1 (moments.wgsl). Fewer than two elements: NaN.
#import operators/shared/moments

fn finish(acc: Acc, n: u32) -> Real { return mean_square(acc, n, 1u); }
