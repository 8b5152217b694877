// Variance of the elements themselves: the mean square around their mean (moments.wgsl). Of nothing: NaN.
#import moments

fn finish(acc: Acc, n: u32) -> Real {
    if n < 1u {
        return not_a_number(n);
    }
    return squares(acc, n) / Real(n);
}
