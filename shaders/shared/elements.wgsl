// The dispatch reads the caller's elements: each goes through the operator's `map`.

@group(0) @binding(0) var<storage, read> input: array<Elem>;

// The element at position `p` of the binding; its index counts from `origin`.
fn load_at(p: u32, origin: u32) -> Acc {
    return map(input[p], p - origin);
}

// The dispatch's `i`-th element.
fn load(i: u32) -> Acc {
    return load_at(params.first + i, params.first - params.index);
}
