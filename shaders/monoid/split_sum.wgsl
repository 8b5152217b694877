// Sum of 64-bit integers that cannot wrap: the upper and the lower halves are added apart.
//
// 2^31 halves of 32 bits fit into 64, and no buffer holds more elements than that. The host puts the two sums together in 128 bits.

fn map(elem: Elem, index: u32) -> Acc {
    return Acc(elem >> 32u, elem & HALF);
}

fn identity() -> Acc {
    return Acc(0, 0);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a + b;
}

fn finish(acc: Acc, n: u32) -> Acc {
    return acc;
}
