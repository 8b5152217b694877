// Sum of 64-bit integers that cannot wrap: `widen` gives the upper and the lower half of an element, which are added apart.
//
// 2^31 halves of 32 bits fit into 64, and no buffer holds more elements than that. Whoever reads the two sums, the host or
// `finish`, puts them together in 128 bits.

fn map(elem: Elem, index: u32) -> Acc {
    return widen(elem);
}

fn identity() -> Acc {
    return Acc(0, 0);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a + b;
}
