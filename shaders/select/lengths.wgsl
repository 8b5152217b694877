// lengths: puts the length of each run in the place of its position.
//
// Reads and writes a word for each run. A run ends where the next one begins:
//
//     positions   0 2 7 … 85 | 90 …       a chunk ends where the next one begins, which `select` has stored apart
//     lengths     2 5 …    5 |  …         the last run ends with the input
//
// Cost: 8 bytes a run, besides what `select` has written. The grid does not depend on the number of runs: a workgroup takes several chunks.
#import scan/shared/io
#import lib/grid/entry
#import lib/workgroup/order
#import select/beside/lengths
#import select/shared/chunks

var<workgroup> number_of_runs: u32;

// The position of a run before `end`, or else the end of the input. Without a branch: SwiftShader does not end compiling 32 more of them inside the loop.
fn position(run: u32, end: u32) -> u32 {
    return select(params.count, lengths[min(run, end - 1u)], run < end);
}

// The lengths of four runs, `WG` apart.
fn four_lengths(run: u32, end: u32) -> vec4<u32> {
    let begin = vec4(position(run, end), position(run + WG, end), position(run + 2u * WG, end), position(run + 3u * WG, end));
    let next = run + 1u;
    return vec4(position(next, end), position(next + WG, end), position(next + 2u * WG, end), position(next + 3u * WG, end)) - begin;
}

fn put(run: u32, length: u32, end: u32) {
    if run < end {
        lengths[run] = length;
    }
}

fn put_four(run: u32, values: vec4<u32>, end: u32) {
    put(run, values.x, end);
    put(run + WG, values.y, end);
    put(run + 2u * WG, values.z, end);
    put(run + 3u * WG, values.w, end);
}

fn kernel(at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    if lid == 0u {
        number_of_runs = number_of_kept[params.count_at];
    }
    let runs = workgroupUniformLoad(&number_of_runs);
    for (var first = wg.index * CHUNK; first < runs; first += params.tickets * CHUNK) {
        let end = min(first + CHUNK, runs);
        let run = first + lid;
        let a = four_lengths(run, end);
        let b = four_lengths(run + 4u * WG, end);
        let c = four_lengths(run + 8u * WG, end);
        var d = four_lengths(run + 12u * WG, end);
        if lid == WG - 1u && end < runs {
            d.w = chunk_starts[end / CHUNK] - lengths[end - 1u];
        }
        storageBarrier();
        put_four(run, a, end);
        put_four(run + 4u * WG, b, end);
        put_four(run + 8u * WG, c, end);
        put_four(run + 12u * WG, d, end);
    }
}
