// Pearson's correlation of two inputs: their covariance divided by both deviations (co_moments.wgsl). If an input is constant: NaN.
//
// As in NumPy, what roundings lead beyond 1 is cut there. NaNs are tested by their bits, because a driver's `clamp` may lose them.
#import operators/shared/co_moments
#import operators/shared/real

fn finish(acc: Acc, n: u32) -> Real {
    if bitcast<Bits>(acc.squares.x) == Bits(0) || bitcast<Bits>(acc.squares.y) == Bits(0) {
        return not_a_number(n);
    }
    let r = (acc.products / root(acc.squares.x)) / root(acc.squares.y);
    return select(clamp(r, Real(-1), Real(1)), r, is_undefined(r));
}
