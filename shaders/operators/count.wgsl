// How many elements are not zero. Exact, as no input has more elements than a u32 counts.
//
// `is_set` looks at the bits of a float, not at its value: a NaN is not zero, and -0 is.
#import is_set

alias Acc = u32;

fn map(elem: Elem, index: u32) -> Acc {
    return select(0u, 1u, is_set(elem));
}

fn identity() -> Acc {
    return 0u;
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a + b;
}

fn finish(acc: Acc, n: u32) -> Acc {
    return acc;
}
