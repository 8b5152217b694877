// Sums of integers that cannot wrap. `widen` returns the term of an element: the element itself (widen.wgsl), or its magnitude.
//
// Elements of 32 bits are summed in two words with a carry. Of 64-bit elements the upper and the lower halves are added separately: the sum of
// 2^31 halves fits 64 bits, and no buffer holds more elements. Whoever reads the two sums, the host or `finish`, combines them in 128 bits.
#import <operator>

fn map(elem: Elem, index: u32) -> Acc { return widen(elem); }
fn identity() -> Acc { return Acc(0, 0); }

fn combine(a: Acc, b: Acc) -> Acc {
#ifdef bits_64
    return a + b;
#else
    let low = a.x + b.x;
    let carry = select(0u, 1u, low < a.x);
    return Acc(low, a.y + b.y + carry);
#endif
}
