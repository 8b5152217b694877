// Product of 32-bit integers in 64 bits, also on GPUs without 64-bit integers: two words, by long
// multiplication.
#import full_product
#import plain_finish
#import widen

fn map(elem: Elem, index: u32) -> Acc {
    return widen(elem);
}

fn identity() -> Acc {
    return Acc(1u, 0u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    let low = full_product(a.x, b.x);
    return Acc(low.x, low.y + a.x * b.y + a.y * b.x);
}
