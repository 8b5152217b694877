// differ: in how many words two inputs differ, and which is the first.
//
// An operator for halofold's reducer: grids of hundreds of megabytes are compared where they are, and two words come
// back.

struct Acc {
    // Words that differ.
    count: u32,
    // The position of the first of them.
    first: u32,
}

fn map(found: Elem, expected: Elem, index: u32) -> Acc {
    if found == expected {
        return identity();
    }
    return Acc(1u, index);
}

fn identity() -> Acc {
    return Acc(0u, 0xffffffffu);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return Acc(a.count + b.count, min(a.first, b.first));
}

fn finish(acc: Acc, n: u32) -> Acc {
    return acc;
}
