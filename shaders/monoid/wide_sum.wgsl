// Sum of 32-bit integers in 64 bits, on GPUs without 64-bit integers too: two words and a carry.
//
// `widen` says what an element adds, and `finish` what becomes of the sum: a mean of integers and the L1 norm end here, too.

fn map(elem: Elem, index: u32) -> Acc {
    return widen(elem);
}

fn identity() -> Acc {
    return Acc(0u, 0u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    let low = a.x + b.x;
    let carry = select(0u, 1u, low < a.x);
    return Acc(low, a.y + b.y + carry);
}
