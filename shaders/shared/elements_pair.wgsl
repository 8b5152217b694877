// The dispatch reads the caller's elements, in pairs: one of each input goes through the operator's `map`.

@group(0) @binding(0) var<storage, read> input: array<Elem>;
@group(0) @binding(5) var<storage, read> second: array<Elem>;

// The pair whose first element is at position `p` of the binding; its index counts from `origin`.
fn load_at(p: u32, origin: u32) -> Acc {
    return map(input[p], second[p + params.other], p - origin);
}

// The dispatch's `i`-th pair.
fn load(i: u32) -> Acc {
    return load_at(params.first + i, params.first - params.index);
}
