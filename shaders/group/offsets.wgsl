// offsets: the first place of each workgroup's pairs of each part, from their numbers: a workgroup adds up all before. Behind them is the number of all.
#import entry
#import io
#import parted_pairs
#import sum_before

fn kernel(at: Place, wg: Workgroup) {
    let count = PARTS * params.shares;
    // Numbers that an invocation adds up: all of one are next to each other.
    let own = (count + WG - 1u) / WG;
    let begin = min(at.lid * own, count);
    let end = min(begin + own, count);
    var sum = 0u;
    for (var i = begin; i < end; i++) {
        sum += offsets[i];
    }
    var place = sum_before(sum, at);
    for (var i = begin; i < end; i++) {
        let number = offsets[i];
        offsets[i] = place;
        place += number;
    }
    if at.lid == WG - 1u {
        offsets[count] = place;
    }
}
