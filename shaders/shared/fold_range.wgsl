// The items of a range, one at a time: `fold_range` of fold_vectors.wgsl where items are not the caller's elements.

fn fold_range(begin: u32, stop: u32, origin: u32, own: u32, grid: u32) -> Acc {
    var acc = identity();
    for (var i = begin + own; i < stop; i += grid) {
        acc = combine(acc, load_at(i, origin));
    }
    return acc;
}
