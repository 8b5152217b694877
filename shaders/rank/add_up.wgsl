// add_up: the ties before each part of a row, if some of them win.
//
// One workgroup per row replaces the counts of ties in each part by their prefix sums, so `ties` knows where the first ones are.
#import io
#import entry
#import sum_before
#import winners

@group(0) @binding(10) var<storage, read_write> ties: array<u32>;

// Parts of an invocation, one after the other.
const SHARE: u32 = 8u;

var<workgroup> needed: u32;
var<workgroup> running: u32;

fn kernel(at: Place, wg: Workgroup) {
    if at.lid == 0u {
        needed = winners_of_row() - winning_candidates(wg.index);
    }
    if workgroupUniformLoad(&needed) == 0u {
        return;
    }
    let first = wg.index * params.parts;
    var before_all = 0u;
    for (var i = 0u; i < params.parts; i += SHARE * WG) {
        let begin = i + SHARE * at.lid;
        let end = min(begin + SHARE, params.parts);
        var sum = 0u;
        for (var part = begin; part < end; part++) {
            sum += ties[first + part];
        }
        var before = before_all + sum_before(sum, at.lid);
        for (var part = begin; part < end; part++) {
            let own = ties[first + part];
            ties[first + part] = before;
            before += own;
        }
        if at.lid == WG - 1u {
            running = before;
        }
        before_all = workgroupUniformLoad(&running);
    }
}
