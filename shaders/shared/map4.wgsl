// Four elements become one accumulator. An operator that knows a shorter way brings its own `map4`.

fn map4(v: vec4<Elem>, index: u32) -> Acc {
    return combine(
        combine(map(v.x, index), map(v.y, index + 1u)),
        combine(map(v.z, index + 2u), map(v.w, index + 3u)),
    );
}
