// Sum. Integers wrap; floats of 16 bits accumulate in 32.
#import own

fn map(elem: Elem, index: u32) -> Acc {
    return Acc(elem);
}

fn identity() -> Acc {
    return Acc(0);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a + b;
}

fn finish(acc: Acc, n: u32) -> Acc {
    return acc;
}
