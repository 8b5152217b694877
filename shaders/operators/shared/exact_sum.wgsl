// Sums of integers that cannot wrap. `widen` says what an element adds: itself (widen.wgsl), or its magnitude.
//
// Elements of 32 bits are summed in 64, on GPUs without 64-bit integers too: two words and a carry. Of elements of 64 bits the upper
// and the lower halves are added apart: 2^31 halves of 32 bits fit into 64, and no buffer holds more elements than that.
// Whoever reads the two sums, the host or `finish`, puts them together in 128 bits.

fn map(elem: Elem, index: u32) -> Acc {
    return widen(elem);
}

fn identity() -> Acc {
    return Acc(0, 0);
}

fn combine(a: Acc, b: Acc) -> Acc {
#ifdef bits_64
    return a + b;
#else
    let low = a.x + b.x;
    let carry = select(0u, 1u, low < a.x);
    return Acc(low, a.y + b.y + carry);
#endif
}
