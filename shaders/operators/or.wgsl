// Bitwise or: the bits that some element has. Of nothing: none.
//
// Bits never meet their neighbours, so the order of combination cannot matter, and every subgroup built-in agrees.
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
