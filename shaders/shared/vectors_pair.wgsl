// Four pairs at a time: both inputs once more, as vectors.
//
// The first input's vectors are aligned. The second's are too if both inputs start at the same place between two
// multiples of 16 bytes; if not, its elements are loaded singly, which costs instructions but no traffic.

@group(0) @binding(3) var<storage, read> input4: array<vec4<Elem>>;
@group(0) @binding(6) var<storage, read> second4: array<vec4<Elem>>;

fn load4(i: u32, origin: u32) -> Acc {
    let p = 4u * i + params.other;
    var w: vec4<Elem>;
    if (params.other & 3u) == 0u {
        w = second4[p >> 2u];
    } else {
        w = vec4<Elem>(second[p], second[p + 1u], second[p + 2u], second[p + 3u]);
    }
    return map4(input4[i], w, 4u * i - origin);
}
