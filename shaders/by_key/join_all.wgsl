// join_all: one workgroup does for groups what `join` does for tiles. The list has one entry more than there are groups: the runs of all pairs.
// Reads and writes a summary for each group of 256 tiles. Cost: the way of one workgroup.
#import by_key/shared/io
#import lib/grid/entry
#import lib/workgroup/order
#import by_key/shared/run
#import by_key/scan/*

fn kernel(at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    let groups = (params.tiles + WG - 1u) / WG;
    var before_all = no_runs();
    for (var first = 0u; first <= groups; first += WG) {
        let group = first + lid;
        let place = place_of(group);
        var own = no_runs();
        if group < groups {
            own = Runs(tiles[place].x, tiles[place].z, ends[2u * params.tiles + group]);
        }
        let ahead = join(before_all, scan(own, at, wg));
        if group <= groups {
            tiles[place] = vec4(ahead.count, 0u, ahead.begin, 0u);
            ends[2u * params.tiles + group] = ahead.acc;
        }
        before_all = join(before_all, of_all(wg));
    }
}
