// The two buffers, one cell at a time.

@group(0) @binding(0) var<storage, read> source: array<Elem>;
@group(0) @binding(1) var<storage, read_write> result: array<Elem>;

fn cell(i: u32) -> Elem {
    return source[i];
}

fn put(i: u32, value: Elem) {
    result[i] = value;
}
