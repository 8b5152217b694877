// Whether an element is not zero: of a float by its bits, so a NaN is not zero and -0 is.

#ifdef float
#import order

fn is_set(elem: Elem) -> bool {
    return (bits(elem) & highest()) != Key(0);
}
#else
fn is_set(elem: Elem) -> bool {
    return elem != Elem(0);
}
#endif
