// The dispatch reads the caller's elements from two bindings, the second of which goes on where the first one ends.
//
// No binding is larger than 2 GiB (and on many devices than 128 MiB). A dispatch for each would have to wait for the one
// before, as both use the notice board: on a large GPU as long as reading forty megabytes takes.

@group(0) @binding(0) var<storage, read> input: array<Elem>;
@group(0) @binding(5) var<storage, read> beyond: array<Elem>;

// The element at position `p` of both bindings together; its index counts from `origin`. The first one holds `other`.
fn load_at(p: u32, origin: u32) -> Acc {
    var elem: Elem;
    if p < params.other {
        elem = input[p];
    } else {
        elem = beyond[p - params.other];
    }
    return map(elem, p - origin);
}

// The dispatch's `i`-th element.
fn load(i: u32) -> Acc {
    return load_at(params.first + i, params.first - params.index);
}
