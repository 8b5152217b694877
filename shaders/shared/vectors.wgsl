// Four elements at a time: the input once more, as vectors.

@group(0) @binding(3) var<storage, read> input4: array<vec4<Elem>>;

// The vector at position `i` of the binding, in vectors; its first element's index counts from `origin`.
fn load4(i: u32, origin: u32) -> Acc {
    return map4(input4[i], 4u * i - origin);
}
