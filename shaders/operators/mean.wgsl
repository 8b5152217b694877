// Mean of floats: their sum, divided once; floats of 16 bits are summed in 32. Empty input: NaN.
//
// The sum is off by about half a unit in the last place of the mean of magnitudes for every addition on the longest path to the result, and the
// division adds at most 2.5 units. The mean of integers is computed from their exact sum, and is correctly rounded (quotient.wgsl).

#ifdef float
#import operators/shared/added
#import operators/shared/real

alias Acc = Real;

fn map(elem: Elem, index: u32) -> Acc { return Acc(elem); }

fn finish(acc: Acc, n: u32) -> Acc {
    if n == 0u {
        return not_a_number(n);
    }
    return acc / Acc(n);
}
#else
#import operators/shared/exact_sum
#import operators/shared/widen
#import operators/shared/quotient
#endif
