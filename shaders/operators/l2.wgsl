// L2 norm: the square root of the sum of squares, which halves the relative error of the sum.
//
// Elements are not scaled, which would take another pass or a division per element. So in 32 bits the sum overflows if the norm exceeds 1.8e19,
// and elements below 1e-19 lose digits or vanish; in 64 bits the limits are 1.3e154 and 1e-154. 16-bit floats and integers lie within them.
#import operators/shared/added
#import operators/shared/real

alias Acc = Real;

fn map(elem: Elem, index: u32) -> Acc {
    let x = Acc(elem);
    return x * x;
}

fn finish(acc: Acc, n: u32) -> Acc { return root(acc); }
