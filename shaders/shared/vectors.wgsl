// Four elements at a time: the inputs, bound a second time as vectors.
//
// Vectors of the second input are aligned if both inputs start at the same offset from a multiple of 16 bytes. Otherwise its elements are
// loaded singly, which costs instructions but no traffic. Of two adjoining bindings the first one ends between two vectors.
#import shared/load
#import lib/lane/map4/*

@group(0) @binding(3) var<storage, read> input4: array<vec4<Elem>>;

#ifdef adjoining
@group(0) @binding(6) var<storage, read> beyond4: array<vec4<Elem>>;

// The vector at position `i` of the two bindings together, in vectors; its first element's index counts from
// `origin`.
fn load4(i: u32, origin: u32) -> Acc {
    let first_holds = params.held >> 2u;
    var v: vec4<Elem>;
    if i < first_holds {
        v = input4[i];
    } else {
        v = beyond4[i - first_holds];
    }
    return map4(v, 4u * i - origin);
}
#else
#ifdef pair
@group(0) @binding(6) var<storage, read> second4: array<vec4<Elem>>;

fn load4(i: u32, origin: u32) -> Acc {
    let p = 4u * i + params.second;
    var w: vec4<Elem>;
    if (params.second & 3u) == 0u {
        w = second4[p >> 2u];
    } else {
        w = vec4<Elem>(second[p], second[p + 1u], second[p + 2u], second[p + 3u]);
    }
    return map4(input4[i], w, 4u * i - origin);
}
#else
// The vector at position `i` of the binding, in vectors; its first element's index counts from `origin`.
fn load4(i: u32, origin: u32) -> Acc { return map4(input4[i], 4u * i - origin); }
#endif
#endif
