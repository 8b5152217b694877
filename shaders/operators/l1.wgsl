// L1 norm: the sum of magnitudes. Floats of 16 bits are added in 32; the sum of integers is exact (exact_sum.wgsl).
// All terms have the same sign, so the error of the sum is small compared with the result.
#import operators/shared/plain_finish

#ifdef float
#import operators/shared/added
#import operators/shared/own

fn map(elem: Elem, index: u32) -> Acc { return abs(Acc(elem)); }
#else
#import operators/shared/exact_sum
#import operators/shared/magnitude

alias Acc = vec2<Magnitude>;

fn widen(elem: Elem) -> Acc {
    let m = magnitude(elem);
#ifdef bits_64
    return Acc(m >> 32u, m & 0xfffffffflu);
#else
    return Acc(m, 0u);
#endif
}
#endif
