// The dispatch reads the caller's elements: each goes through the operator's `map`.

@group(0) @binding(0) var<storage, read> input: array<Elem>;

fn load(i: u32) -> Acc {
    return map(input[params.first + i], params.index + i);
}
