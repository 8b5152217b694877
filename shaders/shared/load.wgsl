// How a dispatch reads its items. A kernel calls `load` and reads the same everywhere:
//
//   elements          the caller's: each goes through the operator's `map`
//   pair              one element of each of two inputs goes through `map` together
//   adjoining         the caller's, from two bindings, the second of which goes on where the first one ends
//   reads_partials    accumulators that an earlier dispatch has left, already mapped
//
// Adjoining: no binding is larger than 2 GiB (and on many devices than 128 MiB). A dispatch for each would have to wait for
// the one before, as both publish into the same partials: on a large GPU as long as reading forty megabytes takes.
#import io

#ifdef reads_partials
@group(0) @binding(0) var<storage, read> input: array<Acc>;

fn load_at(p: u32, origin: u32) -> Acc {
    return input[p];
}

// The dispatch's `i`-th accumulator.
fn load(i: u32) -> Acc {
    return input[params.first + i];
}
#else
@group(0) @binding(0) var<storage, read> input: array<Elem>;
#ifdef adjoining
@group(0) @binding(5) var<storage, read> beyond: array<Elem>;

// The element at position `p` of both bindings together; its index counts from `origin`. The first one has `held`.
fn load_at(p: u32, origin: u32) -> Acc {
    var elem: Elem;
    if p < params.held {
        elem = input[p];
    } else {
        elem = beyond[p - params.held];
    }
    return map(elem, p - origin);
}
#else
#ifdef pair
@group(0) @binding(5) var<storage, read> second: array<Elem>;

// The pair whose first element is at position `p` of the binding; its index counts from `origin`.
fn load_at(p: u32, origin: u32) -> Acc {
    return map(input[p], second[p + params.second], p - origin);
}
#else
// The element at position `p` of the binding; its index counts from `origin`.
fn load_at(p: u32, origin: u32) -> Acc {
    return map(input[p], p - origin);
}
#endif
#endif

// The dispatch's `i`-th element or pair.
fn load(i: u32) -> Acc {
    return load_at(params.first + i, params.first - params.index);
}
#endif

fn load_or_identity(i: u32) -> Acc {
    if i < params.len {
        return load(i);
    }
    return identity();
}
