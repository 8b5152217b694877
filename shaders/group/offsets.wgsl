// offsets: scans the pair counts of each workgroup and part into first places. The last entry is the number of all pairs.
//
//     counts 2 2 2 2  →  places 0 2 4 6 8
//
// Reads and writes a word for each workgroup and part, in one workgroup. Cost: it reads the words twice, and strided.
#import lib/grid/entry
#import group/shared/io
#import group/shared/parted_pairs
#import lib/workgroup/sum_before

fn kernel(at: Place, wg: Workgroup) {
    let count = PARTS * params.shares;
    // Each invocation adds up neighbouring counts.
    let own = (count + WG - 1u) / WG;
    let begin = min(at.lid * own, count);
    let end = min(begin + own, count);
    var sum = 0u;
    for (var i = begin; i < end; i++) {
        sum += offsets[i];
    }
    var place = sum_before(sum, at.lid);
    for (var i = begin; i < end; i++) {
        let number = offsets[i];
        offsets[i] = place;
        place += number;
    }
    if at.lid == WG - 1u {
        offsets[count] = place;
    }
}
