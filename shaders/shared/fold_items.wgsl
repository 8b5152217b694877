// Each invocation folds the items `i`, `i + grid`, `i + 2 grid` … into one accumulator.
//
// The stride is the whole grid, so neighbouring invocations read neighbouring items, in a few wide transactions. With one contiguous chunk per
// invocation, the memory would be read many times slower.
#import lib/grid/entry
#import shared/load

fn fold(at: Place, wg: Workgroup) -> Acc {
    let grid = params.groups * WG;
    var acc = identity();
    for (var i = wg.index * WG + at.lid; i < params.len; i += grid) {
        acc = combine(acc, load(i));
    }
    return acc;
}
