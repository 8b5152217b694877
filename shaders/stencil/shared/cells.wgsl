// The two buffers, one cell at a time.

@group(0) @binding(0) var<storage, read> source: array<Elem>;
@group(0) @binding(1) var<storage, read_write> result: array<Elem>;

// What an invocation computes at once. Kernels with lanes4.wgsl compute four cells.
alias Pack = Elem;

fn cell(i: u32) -> Elem {
    return source[i];
}

fn put(i: u32, value: Elem) {
    result[i] = value;
}
