// One time level in registers: a row comes, and the row before it, one step later, goes.
//
// A level keeps two rows: `sum`, the new cells of the row that came last, which lack its row to the south alone; and
// `beside`, what that row gives to the rows beside it. When the next row comes, it finishes the one (`out_of`) and then replaces
// both (`level_of`). In this order, and apart: what goes out needs no other lane's cells with five points, so the next level
// can ask its neighbours for theirs while this one is still at its sums.
//
// Three times the same step. The first is that of the inside. `_at_ends` also keeps a lane's outermost cells where they are
// fixed. `_at_border` keeps any cells of fixed sides, gives the rows at a mirror what lies beyond it, and leaves the rows
// alone that have made all their steps. What they change they select, so where nothing is changed all give the same bits.
#import lane_row
#import shares
#import pack_ends
#import params

struct Level {
    sum: Row,
    beside: Row,
}

// The cells before and behind a lane's part of a row, which its neighbours hold.
struct Edges {
    west: Elem,
    east: Elem,
}

fn out_of(k: Weights, level: Level, own: Row, edges: Edges) -> Row {
    return finish_row(k, level.sum, beside_row(k, own, edges.west, edges.east));
}

fn level_of(
    k: Weights,
    level: Level,
    own: Row,
    edges: Edges,
#ifdef rhs
    added: Row,
#endif
) -> Level {
    let south = beside_row(k, own, edges.west, edges.east);
#ifdef rhs
    return Level(begin_row(k, own, edges.west, edges.east, level.beside, added), south);
#else
    return Level(begin_row(k, own, edges.west, edges.east, level.beside), south);
#endif
}

// Which of a lane's outermost cells a fixed side keeps.
struct Ends {
    first: bool,
    last: bool,
}

// A sum that is kept is the cell itself, and is passed on as such when the next row comes.
fn out_of_at_ends(k: Weights, level: Level, own: Row, edges: Edges, ends: Ends) -> Row {
    return keep_ends(out_of(k, level, own, edges), level.sum, ends);
}

fn level_of_at_ends(
    k: Weights,
    level: Level,
    own: Row,
    edges: Edges,
#ifdef rhs
    added: Row,
#endif
    ends: Ends,
) -> Level {
#ifdef rhs
    let next = level_of(k, level, own, edges, added);
#else
    let next = level_of(k, level, own, edges);
#endif
    return Level(keep_ends(next.sum, own, ends), next.beside);
}

// What is special about the row that comes to a level, and about the one before it.
struct Special {
    // Beyond a mirror lies the mirror image, so what the row beyond gives is what the row itself gives.
    mirror_above: bool,
    mirror_below: bool,
    // All its cells stay what they are.
    keeps: bool,
    keeps_before: bool,
    // Some of them do.
    kept: Kept,
}

fn out_of_at_border(k: Weights, level: Level, own: Row, edges: Edges, special: Special) -> Row {
    let south = beside_row(k, own, edges.west, edges.east);
    let below = choose_row(south, level.beside, special.mirror_below);
    return keep_row(finish_row(k, level.sum, below), level.sum, special.kept, special.keeps_before);
}

fn level_of_at_border(
    k: Weights,
    level: Level,
    own: Row,
    edges: Edges,
#ifdef rhs
    added: Row,
#endif
    special: Special,
) -> Level {
    let south = beside_row(k, own, edges.west, edges.east);
    let north = Level(level.sum, choose_row(level.beside, south, special.mirror_above));
#ifdef rhs
    let next = level_of(k, north, own, edges, added);
#else
    let next = level_of(k, north, own, edges);
#endif
    return Level(keep_row(next.sum, own, special.kept, special.keeps), south);
}

fn is_fixed_row(r: i32) -> bool {
    return (r == 0 && params.north == FIXED) || (r == i32(params.rows) - 1 && params.south == FIXED);
}

// Row `r` comes to the level that makes step `nth`, counted from 0.
fn special_of(r: i32, nth: i32, kept: Kept) -> Special {
    let over = nth >= i32(params.steps);
    return Special(
        r == 0 && params.north == MIRROR,
        r == i32(params.rows) && params.south == MIRROR,
        over || is_fixed_row(r),
        over || is_fixed_row(r - 1),
        kept,
    );
}
