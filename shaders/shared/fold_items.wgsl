// Each invocation folds the items `i`, `i + grid`, `i + 2 grid` … into one accumulator.
//
// The stride is the whole grid, so at every step neighbouring invocations read neighbouring items and
// the memory system turns a subgroup's loads into a few wide transactions. Splitting the input into one
// contiguous chunk per invocation would add the same numbers and read the memory many times slower.
#import entry
#import load

fn fold(at: Place, wg: Workgroup) -> Acc {
    let grid = params.groups * WG;
    var acc = identity();
    for (var i = wg.index * WG + at.lid; i < params.len; i += grid) {
        acc = combine(acc, load(i));
    }
    return acc;
}
