// Variance of what the elements are a sample of: divided by n - 1 (moments.wgsl). Of fewer than two: NaN.
#import moments

fn finish(acc: Acc, n: u32) -> Real {
    if n < 2u {
        return not_a_number(n >> 1u);
    }
    return squares(acc, n) / Real(n - 1u);
}
