// Kurtosis less 3: the mean fourth power of the distances from the mean, in deviations (high_moments.wgsl), of which a normal
// distribution has 3. If all elements are equal: NaN.
#import operators/shared/high_moments
#import operators/shared/real

fn finish(acc: Acc, n: u32) -> Real {
    if bitcast<Bits>(acc.m2) == Bits(0) {
        return not_a_number(n);
    }
    return (acc.m4 / acc.m2) / (acc.m2 / Real(n)) - Real(3);
}
