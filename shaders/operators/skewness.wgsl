// Skewness: the mean third power of the distances from the mean, in deviations (high_moments.wgsl). If all elements are equal: NaN.
#import operators/shared/high_moments
#import operators/shared/real

fn finish(acc: Acc, n: u32) -> Real {
    if bitcast<Bits>(acc.m2) == Bits(0) {
        return not_a_number(n);
    }
    return (acc.m3 / acc.m2) / root(acc.m2 / Real(n));
}
