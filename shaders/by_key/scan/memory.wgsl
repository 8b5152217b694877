// Joins the runs before each invocation (Hillis and Steele's scan). Steps alternate between two halves of the memory, so each has one barrier.
#import lib/grid/entry
#import by_key/shared/run
#import by_key/shared/run_places

// Returns the join of all earlier invocations. Until the next scan, `of_all()` returns the join of all invocations.
fn scan(own: Runs, at: Place, wg: Workgroup) -> Runs {
    let lid = at.lid;
    var sum = own;
    var half = 0u;
    workgroupBarrier();
    put(lid, sum);
    for (var step = 1u; step < WG; step *= 2u) {
        workgroupBarrier();
        if lid >= step {
            sum = join(at_place(half + lid - step), sum);
        }
        half = WG - half;
        put(half + lid, sum);
    }
    workgroupBarrier();
    if lid == 0u {
        return no_runs();
    }
    return at_place(half + lid - 1u);
}

fn of_all(wg: Workgroup) -> Runs { return at_place((firstTrailingBit(WG) & 1u) * WG + WG - 1u); }
