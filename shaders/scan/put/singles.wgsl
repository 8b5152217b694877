// Results one by one: those of several numbers, and those of a tile that is not full.
#import io
#import items
#import results

@group(0) @binding(1) var<storage, read_write> output: array<Stored>;

fn store(i: u32, value: Stored) {
    if i < params.len {
        output[params.store + i] = value;
    }
}

fn put(items: Items, before: Acc, i: u32) {
    let results = results_of(four_of(items, i), before);
    store(i, results.a);
    store(i + 1u, results.b);
    store(i + 2u, results.c);
    store(i + 3u, results.d);
}
