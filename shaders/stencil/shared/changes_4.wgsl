// Two grids read together, four cells at a time.

@group(0) @binding(0) var<storage, read> first: array<vec4<Elem>>;
@group(0) @binding(3) var<storage, read> second: array<vec4<Elem>>;

fn load(i: u32) -> Acc {
    let change = abs(vec4<Real>(first[params.first + i]) - vec4<Real>(second[params.first + i]));
    let squares = change * change;
    return Acc(
        max(max(change.x, change.y), max(change.z, change.w)),
        (squares.x + squares.y) + (squares.z + squares.w),
    );
}
