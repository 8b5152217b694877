// Maximum norm: the largest magnitude. If there is a NaN, the result is NaN. Empty input: 0.
//
// Without the sign bit, a float's bits grow with its magnitude, and those of NaNs lie above infinity. So an integer `max` finds the largest, and
// only `settle` tests for NaN, once per result. Magnitudes of integers are unsigned, because that of the lowest integer has no signed counterpart.

#ifdef float
#import operators/shared/float_bits
#import operators/keys/*

alias Acc = Key;

fn magnitude(elem: Elem) -> Acc { return bits(elem) & highest(); }
fn settle(acc: Acc) -> Acc { return select(acc, NOT_A_NUMBER, is_above(acc, INFINITY)); }
#else
#import operators/shared/magnitude

alias Acc = Magnitude;

fn settle(acc: Acc) -> Acc { return acc; }
fn greater(a: Acc, b: Acc) -> Acc { return max(a, b); }
#endif

fn map(elem: Elem, index: u32) -> Acc { return magnitude(elem); }
fn identity() -> Acc { return Acc(0); }
fn combine(a: Acc, b: Acc) -> Acc { return greater(a, b); }
fn finish(acc: Acc, n: u32) -> Acc { return settle(acc); }
