// A walk over the pairs of an invocation, up to the last run that begins there. Where one begins, `emit_run` gets the one before it,
// and what the kernel passes on.
#import by_key/shared/run_tile
#import by_key/shared/values
#import <kernel>

struct Walk {
    // The accumulator of the run that goes on, the pair at which it begins, and the number of runs that have begun in the tile.
    acc: Acc,
    begin: u32,
    rank: u32,
    passed_on: u32,
}

fn walk_over(own: Own, values: Values, ahead: Runs, rank: u32, passed_on: u32) {
    let start = Walk(ahead.acc, ahead.begin, rank, passed_on);
    let a = over_four(start, own.keys.a, values.a, own.at, own.starts);
    let b = over_four(a, own.keys.b, values.b, own.at + 4u, own.starts >> 4u);
    let c = over_four(b, own.keys.c, values.c, own.at + 8u, own.starts >> 8u);
    over_four(c, own.keys.d, values.d, own.at + 12u, own.starts >> 12u);
}

fn over_four(walk: Walk, keys: FourRunKeys, values: FourValues, at: u32, starts: u32) -> Walk {
    if starts == 0u {
        return walk;
    }
    let a = visit(walk, keys.x, values.x, at, (starts & 1u) != 0u);
    let b = visit(a, keys.y, values.y, at + 1u, (starts & 2u) != 0u);
    let c = visit(b, keys.z, values.z, at + 2u, (starts & 4u) != 0u);
    return visit(c, keys.w, values.w, at + 3u, (starts & 8u) != 0u);
}

fn visit(walk: Walk, key: RunKey, value: Elem, at: u32, is_start: bool) -> Walk {
    var next = walk;
    if is_start {
        emit_run(walk.passed_on, walk.rank, key, walk.acc, at - walk.begin);
        next = Walk(identity(), at, walk.rank + 1u, walk.passed_on);
    }
    next.acc = with_value(next.acc, value, at, false);
    return next;
}
