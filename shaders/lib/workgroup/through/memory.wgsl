// Prefixes of a workgroup's values, through workgroup memory.
#import lib/grid/entry
#import lib/state/*

var<workgroup> sums: array<State, WG>;

// The sum of the invocation that is so far before one, if there is one.
fn sum_before(lid: u32, distance: u32) -> State { return sums[max(lid, distance) - distance]; }

// Combines the values of all invocations up to each, no more than `window` before it. A step combines four: 256 invocations take four steps.
fn through(value: State, window: u32, at: Place, wg: Workgroup) -> State {
    var sum = value;
    let most = min(window, at.lid);
    for (var d = 1u; d < WG; d <<= 2u) {
        workgroupBarrier();
        sums[at.lid] = sum;
        workgroupBarrier();
        let near = sum_before(at.lid, d);
        let middle = sum_before(at.lid, 2u * d);
        let far = sum_before(at.lid, 3u * d);
        if d <= most {
            sum = joined(near, sum);
        }
        if 2u * d <= most {
            sum = joined(middle, sum);
        }
        if 3u * d <= most {
            sum = joined(far, sum);
        }
    }
    return sum;
}
