// L2 norm: the square root of the sum of squares.
//
// Elements are not scaled first, which would take another pass or one division per element. So in 32 bits the sum of squares overflows to
// infinity if the norm exceeds 1.8e19, and elements below 1e-19 lose digits or vanish; in 64 bits the limits are 1.3e154 and 1e-154. All floats
// of 16 bits and all integers are within these limits. The root halves the relative error of the sum.
#import added
#import real

alias Acc = Real;

fn map(elem: Elem, index: u32) -> Acc {
    let x = Acc(elem);
    return x * x;
}

fn finish(acc: Acc, n: u32) -> Acc {
    return root(acc);
}
