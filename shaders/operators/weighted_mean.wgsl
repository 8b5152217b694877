// Mean of the first input with the second one as weights: Σ w x / Σ w. If the weights add up to zero: NaN.
#import operators/shared/real

struct Acc {
    sum: Real,
    weights: Real,
}

fn map(first: Elem, second: Elem, index: u32) -> Acc { return Acc(Real(first) * Real(second), Real(second)); }
fn identity() -> Acc { return Acc(Real(0), Real(0)); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.sum + b.sum, a.weights + b.weights); }

fn finish(acc: Acc, n: u32) -> Real {
    if (bitcast<Bits>(acc.weights) & MAGNITUDE) == Bits(0) {
        return not_a_number(n);
    }
    return acc.sum / acc.weights;
}
