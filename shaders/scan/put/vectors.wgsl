// Results of one number each, four at a time. They start at a multiple of 16 bytes.
#import scan/shared/io
#import scan/shared/four_results

@group(0) @binding(1) var<storage, read_write> output: array<vec4<Stored>>;

fn put(items: Items, before: Acc, i: u32) {
    let results = results_of(four_of(items, i), before);
    output[(params.store + i) >> 2u] = vec4<Stored>(results.a, results.b, results.c, results.d);
}
