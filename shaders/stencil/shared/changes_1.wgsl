// Two grids read together, one cell at a time.

@group(0) @binding(0) var<storage, read> first: array<Elem>;
@group(0) @binding(3) var<storage, read> second: array<Elem>;

fn load(i: u32) -> Acc {
    let change = abs(Real(first[params.first + i]) - Real(second[params.first + i]));
    return Acc(change, change * change);
}
