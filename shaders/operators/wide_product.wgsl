// Product of 32-bit integers in 64 bits, on GPUs without 64-bit integers too: two words, multiplied as at school.
#import widen

fn map(elem: Elem, index: u32) -> Acc {
    return widen(elem);
}

fn identity() -> Acc {
    return Acc(1u, 0u);
}

// The upper word of a 32 × 32-bit product, from four products of half-words.
fn upper(a: u32, b: u32) -> u32 {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    let middle = a1 * b0 + ((a0 * b0) >> 16u);
    let other = a0 * b1 + (middle & 0xffffu);
    return a1 * b1 + (middle >> 16u) + (other >> 16u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return Acc(a.x * b.x, upper(a.x, b.x) + a.x * b.y + a.y * b.x);
}

fn finish(acc: Acc, n: u32) -> Acc {
    return acc;
}
