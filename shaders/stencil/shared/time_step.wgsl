// One time level in registers: a layer comes, and the layer before it, one step later, goes. A layer is a lane's
// part of a row in 2D, and its part of a plane in 3D.
//
// A level keeps two layers. `sum` is the new cells of the layer that came last, which still lack the layer behind
// it. `beside` is what that layer contributes to the layers before and after it. The next layer completes `sum`
// (`out_of_inside`), then both are replaced (`level_of_inside`). These are two functions because with 5 points `out_of_inside` needs no
// other lane's cells: the next level fetches its neighbours' cells while this one still computes its sums.
//
// The plain form of a step is for the inside of the grid. `_at_ends` also keeps the cells at fixed sides along the
// layer. `_at_border` keeps the cells of any fixed side, and gives the layers at a mirror their mirror image. These
// are selections, so where nothing is kept or mirrored the three forms give the same bits.
#import stencil/exchange/*
#import stencil/layer/*
#import stencil/shared/stream
#import stencil/shares/*
#import stencil/fixed_cells/*
#import stencil/shared/params
#import stencil/streams/*

struct Level {
    sum: Layer,
    beside: Layer,
}

fn out_of_inside(k: Weights, level: Level, own: Layer, edges: Edges) -> Layer { return finish_layer(k, level.sum, beside_layer(k, own, edges)); }

fn level_of_inside(k: Weights, level: Level, own: Layer, edges: Edges, added: Layer) -> Level {
    return Level(begin_layer(k, own, edges, level.beside, added), beside_layer(k, own, edges));
}

// A cell at a fixed side is passed on as it came, when the next layer comes. `fixed_cells` says where it waits until then.
fn out_of_at_ends(k: Weights, level: Level, own: Layer, edges: Edges, ends: Ends) -> Layer {
    return keep_ends(out_of_inside(k, level, own, edges), waiting(level.sum, level.beside), ends);
}

fn level_of_at_ends(k: Weights, level: Level, own: Layer, edges: Edges, added: Layer, ends: Ends) -> Level {
    let next = level_of_inside(k, level, own, edges, added);
    return Level(sums_at_ends(next.sum, own, ends), next.beside);
}

// Special cases of the layer that comes to a level, and of the one before it.
struct Special {
    // The layer beyond a mirror is the mirror image: it contributes what the layer itself contributes.
    mirror_before: bool,
    mirror_behind: bool,
    // All cells of the layer are kept, or all of the one before it.
    keeps: bool,
    keeps_before: bool,
    // The cells at fixed sides along the layer, which are always kept.
    fixed_cells: FixedCells,
}

fn out_of_at_border(k: Weights, level: Level, own: Layer, edges: Edges, special: Special) -> Layer {
    let beside = beside_layer(k, own, edges);
    let behind = choose_layer(beside, level.beside, special.mirror_behind);
    let waiting = waiting(level.sum, level.beside);
    return keep_layer(finish_layer(k, level.sum, behind), waiting, special.fixed_cells, special.keeps_before);
}

fn level_of_at_border(k: Weights, level: Level, own: Layer, edges: Edges, added: Layer, special: Special) -> Level {
    let beside = beside_layer(k, own, edges);
    let mirrored = Level(level.sum, choose_layer(level.beside, beside, special.mirror_before));
    let next = level_of_inside(k, mirrored, own, edges, added);
    return Level(sums_at_border(next.sum, own, special.fixed_cells, special.keeps), beside);
}

// Layer `l` comes to a level.
fn special_of(l: i32, fixed_cells: FixedCells) -> Special {
    return Special(
        l == 0 && side_before() == REFLECT,
        l == layer_count() && side_behind() == REFLECT,
        is_fixed_layer(l),
        is_fixed_layer(l - 1),
        fixed_cells,
    );
}
