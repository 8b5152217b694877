// True if an element is nonzero. A float is tested by its bits, so NaN is nonzero and -0 is zero.

#ifdef float
#import float_bits
#import keys

fn is_set(elem: Elem) -> bool {
    return !is_same(bits(elem) & highest(), Key(0));
}
#else
fn is_set(elem: Elem) -> bool {
    return elem != Elem(0);
}
#endif
