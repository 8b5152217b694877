// join_all: one workgroup does for groups what `join` does for tiles. The list has one entry more than there are groups: the runs of all pairs.
// Reads and writes a summary for each group of 256 tiles. Cost: the way of one workgroup.
#import by_key/shared/io
#import lib/grid/entry
#import lib/workgroup/order
#import by_key/shared/run
#import by_key/shared/summaries
#import by_key/scan/*

fn kernel(at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    var before_all = no_runs();
    for (var first = 0u; first <= groups(); first += WG) {
        let group = first + lid;
        var own = no_runs();
        if group < groups() {
            own = runs_of_group(group);
        }
        let ahead = join(before_all, scan(own, at, wg));
        if group <= groups() {
            put_group(group, ahead);
        }
        before_all = join(before_all, of_all(wg));
    }
}
