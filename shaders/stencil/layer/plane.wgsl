// In 3D: a lane's part of a plane, a few rows one below the other, and the work on each of its packs.
#import stencil/shared/layer
#import stencil/lanes/*
#import stencil/shares/*
#import stencil/ends/*
#import stencil/shared/pack_ends
#import stencil/shared/pack_sources
#import stencil/shared/lines
#import stencil/exchange/rows

const STRIP: u32 = $(STRIP)u;
// Rows that a lane stores for others: the first and the last; without shuffles all of them.
const EXCHANGED: u32 = $(EXCHANGED)u;

// For each cell of a lane's part of a plane, the sum of the four cells around it, and that of the four diagonal ones. In 7 points these do not count.
struct Edges {
    around: Layer,
    #ifndef star: diagonal: Layer,
}

struct FixedCells {
    #for i in 0..PACKS: c$i: Chosen,
    #for j in 0..STRIP: r$j: bool,
}

struct LayerSources {
    #for i in 0..PACKS: c$i: PackSource,
    #for j in 0..STRIP: r$j: u32,
}

fn keep_layer(changed: Layer, same: Layer, fixed_cells: FixedCells, keeps: bool) -> Layer {
    return Layer(
        #for i in 0..ALL: select(changed.p$i, same.p$i, fixed_cells.c$(i % PACKS) | Chosen(fixed_cells.r$(i / PACKS) || keeps)),
    );
}

fn beside_layer(k: Weights, own: Layer, edges: Edges) -> Layer {
    return Layer(
#for i in 0..ALL
        #ifdef star: beside(k, own.p$i, edges.around.p$i),
        #ifndef star: beside(k, own.p$i, edges.around.p$i, edges.diagonal.p$i),
#end
    );
}

fn begin_layer(k: Weights, own: Layer, edges: Edges, before: Layer, added: Layer) -> Layer {
    return Layer(
#for i in 0..ALL
        #ifdef star: begin(k, own.p$i, edges.around.p$i, before.p$i, added.p$i),
        #ifndef star: begin(k, own.p$i, edges.around.p$i, edges.diagonal.p$i, before.p$i, added.p$i),
#end
    );
}

fn fetch(plane: u32, sources: LayerSources) -> Layer {
    return Layer(
#for i in 0..ALL
#let row = sources.r$(i / PACKS)
#let col = sources.c$(i % PACKS)
        mirrored(pack(plane + $row + $col.at), $col.reversed),
#end
    );
}

// The right-hand side. Without one, no sum uses what this returns.
fn added_to(l: i32, sources: LayerSources) -> Layer {
    return Layer(
#for i in 0..ALL
#let row = sources.r$(i / PACKS)
#let col = sources.c$(i % PACKS)
        #ifdef rhs: mirrored(addend(plane_start(l) + $row + $col.at), $col.reversed),
        #ifndef rhs: Pack(),
#end
    );
}

fn layer_sources(r: i32, c: i32) -> LayerSources {
    return LayerSources(
        #for i in 0..PACKS: pack_source(c + $i * LANES),
        #for j in 0..STRIP: line_of(r + $j) * params.cols,
    );
}

fn fixed_cells_of(sources: LayerSources) -> FixedCells {
    return FixedCells(
        #for i in 0..PACKS: fixed_in_pack(sources.c$i),
        #for j in 0..STRIP: is_fixed_line(sources.r$j / params.cols),
    );
}

fn put_layer(lines: Span, columns: Span, plane: u32, r: i32, c: i32, layer: Layer) {
#for i in 0..ALL
#let row = r + $(i / PACKS)
#let col = c + $(i % PACKS) * LANES
    if writes(lines, $row) && writes(columns, $col) {
        put_all(plane + u32($row) * params.cols + u32($col), layer.p$i);
    }
#end
}

fn put_exchanged(half: u32, nth: u32, place: u32, layer: Layer) {
#for y in 0..EXCHANGED
#let row = $y
#if y + 1 == EXCHANGED: #let row = $(STRIP - 1)
    #for i in 0..PACKS: exchanged[exchanged_at(half, nth, $(y)u, $(i)u, place)] = layer.p$(row * PACKS + i);
#end
}

// Sums over the neighbours in a plane. Row 0 is the row before the lane's own rows, and row STRIP + 1 the row behind them. The sum of a row's west
// and east cells also serves both neighbouring rows. In 7 points it does not, so only the lane's own rows have it.
fn edges_of(own: Layer, half: u32, nth: u32, at: LanePosition) -> Edges {
#for j in 0..STRIP + 2
#let place = at.place
#let y = $(j - 1)
#if j == 0: #let place = at.before
#if j == 0: #let y = $(EXCHANGED - 1)
#if j == STRIP + 1: #let place = at.behind
#if j == STRIP + 1: #let y = 0
#for i in 0..PACKS
#if place == at.place
    let n$j_$i = own.p$(y * PACKS + i);
#else
    let n$j_$i = exchanged[exchanged_at(half, nth, $(y)u, $(i)u, $place)];
#endif
#end
#let sums = 1
#ifdef star: #if place == at.before: #let sums = 0
#ifdef star: #if place == at.behind: #let sums = 0
#if sums == 1
#ifdef subgroups
    let w$j = shift_up(last_of(n$j_$(PACKS - 1)));
    let e$j = shift_down(first_of(n$j_0));
#else
    let w$j = last_of(exchanged[exchanged_at(half, nth, $(y)u, $(PACKS - 1)u, lane_before($place))]);
    let e$j = first_of(exchanged[exchanged_at(half, nth, $(y)u, 0u, lane_behind($place))]);
#endif
#for i in 0..PACKS
#let west = last_of(n$j_$(i - 1))
#if i == 0: #let west = w$j
#let east = first_of(n$j_$(i + 1))
#if i + 1 == PACKS: #let east = e$j
    let h$j_$i = shift_from_west($west, n$j_$i) + shift_from_east(n$j_$i, $east);
#end
#endif
#end
    let around = Layer(
#for j in 0..STRIP
        #for i in 0..PACKS: (n$j_$i + n$(j + 2)_$i) + h$(j + 1)_$i,
#end
    );
#ifdef star
    return Edges(around);
#else
    let diagonal = Layer(
#for j in 0..STRIP
        #for i in 0..PACKS: h$j_$i + h$(j + 2)_$i,
#end
    );
    return Edges(around, diagonal);
#endif
}
