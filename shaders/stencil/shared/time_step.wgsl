// One time level in registers: a row comes, and the row before it, one step later, goes.
//
// A level keeps two rows: `sum`, the new cells of the row that came last, which lack its row to the south alone; and
// `beside`, what that row gives to the rows beside it. When the next row comes it finishes the one and replaces both.
//
// Three times the same step. `step` is that of the inside. `step_at_ends` also keeps a lane's outermost cells where they are
// fixed. `step_at_border` keeps any cells of fixed sides, gives the rows at a mirror what lies beyond it, and leaves the
// rows alone that have made all their steps. What they change they select, so where nothing is changed all give the same
// bits.
#import lane_row
#import shares
#import pack_ends
#import params

struct Level {
    sum: Row,
    beside: Row,
}

struct Stepped {
    level: Level,
    // The row that came before, one step later.
    row: Row,
}

// The cells before and behind a lane's part of a row, which its neighbours hold.
struct Edges {
    west: Elem,
    east: Elem,
}

// What is special about the row that comes to a level, and about the one before it.
struct Special {
    // Beyond a mirror lies the mirror image, so what the row beyond gives is what the row itself gives.
    mirror_above: bool,
    mirror_below: bool,
    // All its cells stay what they are.
    keeps: bool,
    keeps_before: bool,
}

fn step(
    k: Weights,
    level: Level,
    own: Row,
    edges: Edges,
#ifdef rhs
    added: Row,
#endif
) -> Stepped {
    let south = beside_row(k, own, edges.west, edges.east);
#ifdef rhs
    let sum = begin_row(k, own, edges.west, edges.east, level.beside, added);
#else
    let sum = begin_row(k, own, edges.west, edges.east, level.beside);
#endif
    return Stepped(Level(sum, south), finish_row(k, level.sum, south));
}

fn step_at_border(
    k: Weights,
    level: Level,
    own: Row,
    edges: Edges,
#ifdef rhs
    added: Row,
#endif
    special: Special,
    kept: Kept,
) -> Stepped {
    let south = beside_row(k, own, edges.west, edges.east);
    let above = choose_row(level.beside, south, special.mirror_above);
    let below = choose_row(south, level.beside, special.mirror_below);
#ifdef rhs
    let sum = begin_row(k, own, edges.west, edges.east, above, added);
#else
    let sum = begin_row(k, own, edges.west, edges.east, above);
#endif
    // A sum that is kept is the cell itself, and is passed on as such when the next row comes.
    return Stepped(
        Level(keep_row(sum, own, kept, special.keeps), south),
        keep_row(finish_row(k, level.sum, below), level.sum, kept, special.keeps_before),
    );
}

// Which of a lane's outermost cells a fixed side keeps.
struct Ends {
    first: bool,
    last: bool,
}

fn step_at_ends(
    k: Weights,
    level: Level,
    own: Row,
    edges: Edges,
#ifdef rhs
    added: Row,
#endif
    ends: Ends,
) -> Stepped {
#ifdef rhs
    let stepped = step(k, level, own, edges, added);
#else
    let stepped = step(k, level, own, edges);
#endif
    return Stepped(
        Level(keep_ends(stepped.level.sum, own, ends), stepped.level.beside),
        keep_ends(stepped.row, level.sum, ends),
    );
}

fn is_fixed_row(r: i32) -> bool {
    return (r == 0 && params.north == FIXED) || (r == i32(params.rows) - 1 && params.south == FIXED);
}

// Row `r` comes to the level that makes step `nth`, counted from 0.
fn special_of(r: i32, nth: i32) -> Special {
    let over = nth >= i32(params.steps);
    return Special(
        r == 0 && params.north == MIRROR,
        r == i32(params.rows) && params.south == MIRROR,
        over || is_fixed_row(r),
        over || is_fixed_row(r - 1),
    );
}
