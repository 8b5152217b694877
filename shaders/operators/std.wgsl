// Standard deviation: the root of variance.wgsl's result. Of nothing: NaN.
#import moments

fn finish(acc: Acc, n: u32) -> Real {
    if n < 1u {
        return not_a_number(n);
    }
    return root(squares(acc, n) / Real(n));
}
