// The grand total as one atomic word, for an operator the hardware has an atomic for.
// `native_atomic` is one call: atomicAdd, atomicMin or atomicMax.

@group(0) @binding(4) var<storage, read_write> total: array<atomic<Word>>;

fn add_to_total(acc: Acc) {
    native_atomic(acc);
}
