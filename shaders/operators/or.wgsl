// Bitwise or: the bits that are set in any element. Empty input: 0.
//
// Each bit is independent of the others, so the order of combination does not matter, and every subgroup
// built-in gives the same result.
#import own

fn map(elem: Elem, index: u32) -> Acc {
    return elem;
}

fn identity() -> Acc {
    return Acc(0);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a | b;
}

fn finish(acc: Acc, n: u32) -> Acc {
    return acc;
}
