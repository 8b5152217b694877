// Results of several numbers each, one by one.
#import scan/shared/io
#import scan/shared/four_results

@group(0) @binding(1) var<storage, read_write> output: array<Stored>;

fn put(items: Items, before: Acc, i: u32) {
    let results = results_of(four_of(items, i), before);
    output[params.store + i] = results.a;
    output[params.store + i + 1u] = results.b;
    output[params.store + i + 2u] = results.c;
    output[params.store + i + 3u] = results.d;
}
