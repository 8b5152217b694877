// A walk over the pairs of an invocation. Where a run begins, workgroup memory gets its position, and the accumulator of the run before it.
#import by_key/shared/run_tile
#import by_key/shared/values

// Runs that are collected at a time.
override STAGE: u32 = 1024u;

var<workgroup> staged_starts: array<u32, STAGE>;
var<workgroup> staged_accs: array<Acc, STAGE>;

struct Walk {
    // The accumulator of the run that goes on.
    acc: Acc,
    // The place of the next run that begins.
    place: u32,
}

// `place`: the number of runs before these pairs, less those that were collected before. It may be negative, that is, wrap.
fn walk_over(own: Own, values: Values, acc: Acc, place: u32) {
    let a = over_four(Walk(acc, place), values.a, own.at, own.starts);
    let b = over_four(a, values.b, own.at + 4u, own.starts >> 4u);
    let c = over_four(b, values.c, own.at + 8u, own.starts >> 8u);
    over_four(c, values.d, own.at + 12u, own.starts >> 12u);
}

fn over_four(walk: Walk, values: FourValues, at: u32, starts: u32) -> Walk {
    if starts == 0u {
        return walk;
    }
    let a = visit(walk, values.x, at, (starts & 1u) != 0u);
    let b = visit(a, values.y, at + 1u, (starts & 2u) != 0u);
    let c = visit(b, values.z, at + 2u, (starts & 4u) != 0u);
    return visit(c, values.w, at + 3u, (starts & 8u) != 0u);
}

fn visit(walk: Walk, value: Elem, at: u32, is_start: bool) -> Walk {
    if is_start && walk.place < STAGE {
        staged_starts[walk.place] = at;
        staged_accs[walk.place] = walk.acc;
    }
    return Walk(with_value(walk.acc, value, at, is_start), walk.place + u32(is_start));
}
