// Prefixes of a workgroup's values: in registers inside of a subgroup, then through workgroup memory, with one barrier.
#import lib/grid/entry
#import lib/state/*

var<workgroup> sums: array<State, WG>;

// Combines the values of all invocations up to each, no more than `window` before it.
fn through(value: State, window: u32, at: Place, wg: Workgroup) -> State {
    // Lanes may come from a loop that they left at different times: the barrier brings them together before they exchange values.
    workgroupBarrier();
    var sum = value;
    let lanes = min(wg.width, WG);
    for (var d = 1u; d < lanes; d <<= 1u) {
        let other = state_up(sum, d);
        if d <= min(window, at.lane) {
            sum = joined(other, sum);
        }
    }
    if at.lane == lanes - 1u {
        sums[at.subgroup] = sum;
    }
    workgroupBarrier();
    if window > at.lane && at.subgroup > 0u {
        let back = min((window - at.lane + lanes - 1u) / lanes, at.subgroup);
        var ahead = sums[at.subgroup - back];
        for (var k = at.subgroup - back + 1u; k < at.subgroup; k += 1u) {
            ahead = joined(ahead, sums[k]);
        }
        sum = joined(ahead, sum);
    }
    return sum;
}
