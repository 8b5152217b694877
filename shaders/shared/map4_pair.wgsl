// Four pairs become one accumulator. An operator that knows a shorter way brings its own `map4`.

fn map4(v: vec4<Elem>, w: vec4<Elem>, index: u32) -> Acc {
    return combine(
        combine(map(v.x, w.x, index), map(v.y, w.y, index + 1u)),
        combine(map(v.z, w.z, index + 2u), map(v.w, w.w, index + 3u)),
    );
}
