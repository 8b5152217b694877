// Four neighbouring elements.
#import io
#import operator

@group(0) @binding(0) var<storage, read> input: array<Elem>;

fn element_or_zero(i: u32) -> Elem {
    if i < params.len {
        return input[params.first + i];
    }
    return Elem();
}

#ifdef vectors
alias Items = vec4<Elem>;

@group(0) @binding(3) var<storage, read> input4: array<vec4<Elem>>;

// True if all vectors of a tile can be loaded as such: it is full, and the input does not start between two of them. Else elements are loaded one by one.
fn has_vectors(tile: u32) -> bool {
    return (params.first & 3u) == 0u && (tile + 1u) * OWN * WG <= params.len;
}

fn load_items(i: u32, as_vector: bool) -> Items {
    if as_vector {
        return input4[(params.first + i) >> 2u];
    }
    return Items(element_or_zero(i), element_or_zero(i + 1u), element_or_zero(i + 2u), element_or_zero(i + 3u));
}
#else
struct Items {
    x: Elem,
    y: Elem,
    z: Elem,
    w: Elem,
}

fn has_vectors(tile: u32) -> bool {
    return false;
}

fn load_items(i: u32, as_vector: bool) -> Items {
    return Items(element_or_zero(i), element_or_zero(i + 1u), element_or_zero(i + 2u), element_or_zero(i + 3u));
}
#endif
