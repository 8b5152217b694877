// Joins the runs before each invocation of a workgroup: in registers inside of a subgroup, then through workgroup memory.
#import lib/grid/entry
#import by_key/shared/run
#import by_key/shared/run_places
#import lib/subgroup/shuffle/*

// Returns the join of all earlier invocations. `of_all()` returns the join of all, until the next scan.
fn scan(own: Runs, at: Place, wg: Workgroup) -> Runs {
    // Lanes may come from a loop that they left at different times: the barrier brings them together before they exchange values.
    workgroupBarrier();
    let before = subgroupExclusiveAdd(own.count);
    let lanes = min(wg.width, WG);
    // The lane behind the nearest one, up to this, in which a run begins; 0 without one. A ballot would tell, but naga's have 32 lanes on Metal.
    var behind = select(0u, at.lane + 1u, own.count > 0u);
    var acc = own.acc;
    for (var d = 1u; d < lanes; d <<= 1u) {
        let further = shuffle_up(acc, d);
        let other = subgroupShuffleUp(behind, d);
        if d <= at.lane && behind == 0u {
            acc = combine(further, acc);
            behind = other;
        }
    }
    let begin = subgroupShuffle(own.begin, max(behind, 1u) - 1u);
    let near = Runs(before, subgroupShuffleUp(begin, 1u), shuffle_up(acc, 1u));
    if at.lane == lanes - 1u {
        put(at.subgroup, Runs(before + own.count, begin, acc));
    }
    workgroupBarrier();
    var ahead = no_runs();
    for (var k = 0u; k < at.subgroup; k += 1u) {
        ahead = join(ahead, at_place(k));
    }
    if at.lane > 0u {
        ahead = join(ahead, near);
    }
    return ahead;
}

fn of_all(wg: Workgroup) -> Runs {
    var all = no_runs();
    for (var k = 0u; k < wg.subgroups; k += 1u) {
        all = join(all, at_place(k));
    }
    return all;
}
