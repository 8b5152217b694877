// In 2D: a lane's part of a row, and the work on each of its packs.
#import stencil/shared/layer
#import stencil/lanes/*
#import stencil/shares/*
#import stencil/ends/*
#import stencil/shared/pack_ends
#import stencil/shared/pack_sources
#import stencil/shared/span
#import stencil/exchange/ring

struct FixedCells {
    #for i in 0..PACKS: p$i: Chosen,
}

struct LayerSources {
    #for i in 0..PACKS: p$i: PackSource,
}

fn keep_layer(changed: Layer, same: Layer, fixed_cells: FixedCells, keeps: bool) -> Layer {
    return Layer(
        #for i in 0..PACKS: select(changed.p$i, same.p$i, fixed_cells.p$i | Chosen(keeps)),
    );
}

// What a row contributes to both neighbouring rows: each pack, and the sum of its west and east neighbours.
fn beside_layer(k: Weights, own: Layer, edges: Edges) -> Layer {
    return Layer(
#for i in 0..PACKS
#let west = last_of(own.p$(i - 1))
#if i == 0: #let west = edges.west
#let east = first_of(own.p$(i + 1))
#if i + 1 == PACKS: #let east = edges.east
        beside(k, own.p$i, shift_from_west($west, own.p$i) + shift_from_east(own.p$i, $east)),
#end
    );
}

fn begin_layer(k: Weights, own: Layer, edges: Edges, before: Layer, added: Layer) -> Layer {
    return Layer(
#for i in 0..PACKS
#let west = last_of(own.p$(i - 1))
#if i == 0: #let west = edges.west
#let east = first_of(own.p$(i + 1))
#if i + 1 == PACKS: #let east = edges.east
        begin(k, own.p$i, shift_from_west($west, own.p$i) + shift_from_east(own.p$i, $east), before.p$i, added.p$i),
#end
    );
}

fn row_in_slot(slot: u32, y: u32, lane: u32) -> Layer {
    return Layer(
        #for i in 0..PACKS: ring[slot + in_slot(y, $(i)u, lane)],
    );
}

fn put_in_slot(slot: u32, y: u32, lane: u32, row: Layer) {
    #for i in 0..PACKS: ring[slot + in_slot(y, $(i)u, lane)] = row.p$i;
}

fn keep_ends(changed: Layer, same: Layer, ends: Ends) -> Layer {
    return Layer(
#for i in 0..PACKS
#let pack = changed.p$i
#if i == 0: #let pack = keep_first($pack, same.p$i, ends.first)
#if i + 1 == PACKS: #let pack = keep_last($pack, same.p$i, ends.last)
        $pack,
#end
    );
}

// The right-hand side. Without one, no sum uses what this returns.
fn added_to(l: i32, sources: LayerSources) -> Layer {
    return Layer(
#for i in 0..PACKS
        #ifdef rhs: mirrored(addend(layer_source(l) * params.cols + sources.p$i.at), sources.p$i.reversed),
        #ifndef rhs: Pack(),
#end
    );
}

fn layer_sources(c: i32) -> LayerSources {
    return LayerSources(
        #for i in 0..PACKS: pack_source(c + $i * LANES),
    );
}

fn fixed_cells_of(sources: LayerSources) -> FixedCells {
    return FixedCells(
        #for i in 0..PACKS: fixed_in_pack(sources.p$i),
    );
}

fn first_cell(row: Layer) -> Elem { return first_of(row.p0); }
fn last_cell(row: Layer) -> Elem { return last_of(row.p$(PACKS - 1)); }

fn put_row(columns: Span, at: u32, c: i32, row: Layer) {
#for i in 0..PACKS
    if columns.begin <= c + $i * LANES && c + $i * LANES < columns.end {
        put_all(at + u32(c + $i * LANES), row.p$i);
    }
#end
}
