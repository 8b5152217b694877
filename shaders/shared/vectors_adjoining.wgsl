// Four elements at a time from either binding: the first one ends between two vectors.

@group(0) @binding(3) var<storage, read> input4: array<vec4<Elem>>;
@group(0) @binding(6) var<storage, read> beyond4: array<vec4<Elem>>;

// The vector at position `i` of both bindings together, in vectors; its first element's index counts from `origin`.
fn load4(i: u32, origin: u32) -> Acc {
    let first_holds = params.other >> 2u;
    var v: vec4<Elem>;
    if i < first_holds {
        v = input4[i];
    } else {
        v = beyond4[i - first_holds];
    }
    return map4(v, 4u * i - origin);
}
