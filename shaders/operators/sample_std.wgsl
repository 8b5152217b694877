// Standard deviation of a sample: the root of sample_variance.wgsl's result. Of fewer than two: NaN.
#import moments

fn finish(acc: Acc, n: u32) -> Real {
    if n < 2u {
        return not_a_number(n >> 1u);
    }
    return root(squares(acc, n) / Real(n - 1u));
}
