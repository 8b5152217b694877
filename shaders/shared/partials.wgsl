// The dispatch reads what an earlier one left behind: accumulators, already mapped.

@group(0) @binding(0) var<storage, read> input: array<Acc>;

fn load_at(p: u32, origin: u32) -> Acc {
    return input[p];
}

fn load(i: u32) -> Acc {
    return input[params.first + i];
}
