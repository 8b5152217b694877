// time-planes, 27 and 7 points: a few steps per sweep over memory, with exact borders at every step.
//
// The idea is that of time-pipeline (2d/time_pipeline.wgsl), one dimension up: what streams is a plane instead of a row. A workgroup owns a tile of
// rows and columns and goes through the planes. Each plane that is loaded pushes the planes before it one step further:
//
//     plane p of the grid  ->  step 1 of plane p-1  ->  step 2 of plane p-2  ->  ...  ->  step T of plane p-T, written
//
// Memory is read and written once per T steps. A plane is summed once, as in plane-sums, and a level carries two values per cell (time_step).
//
// A lane holds STRIP rows of PACKS packs of the tile, at every level. What it needs of other lanes:
//
//   * The cells to the west and to the east of each of its rows: two shuffles per row. A team of COLS lanes (a
//     subgroup, or a part of one) spans the tile's columns.
//   * The row before and the row behind its own. Teams lie one below the other, and exchange their first
//     and last rows in workgroup memory (exchange/rows.wgsl). A barrier must come between writing and reading,
//     so a plane waits for one turn in front of every level, in registers, and a level lags two planes behind
//     the previous one:
//
//         turn       arrives     level 1 takes, makes    level 2 takes, makes    written
//          t         plane 9         8       7               6       5              5
//          t + 1     plane 10        9       8               7       6              6
//
//     So one barrier per turn is enough, however many levels there are. A plane is fetched two turns before the
//     first level takes it, because memory takes longer than a turn. (A loop that takes two turns at a time,
//     `IN_PAIRS`, can leave loads in flight from one turn to the next: no register needs to be copied.)
//
// In 2D a workgroup with 4 subgroups has a strip of a thousand columns, of which 2T are lost. Here the lanes have to
// span two dimensions, and both lose 2T (columns in whole packs). The share of a tile's cells that is written:
//
//                                        T = 1    T = 2    T = 3    T = 4
//     tile of 64 rows x  64 columns      85 %     82 %     79 %     77 %
//     tile of 16 rows x 128 columns      82 %     70 %     59 %     47 %
//
// So tiles should be about square: teams are half a subgroup wide on GPUs whose subgroups have 32 lanes. T is limited by registers, three values per
// cell and level. And each workgroup takes 3 T planes to fill and to drain, so it should write many planes; but as many workgroups as cores, or a
// multiple of that, must remain. (At a fixed side nothing is lost, because nothing beyond it is needed.)
//
// Borders are exact at every step, as in time-pipeline: lanes step the cells beyond a mirrored or periodic side (shared/pack_sources.wgsl), tiles
// with fixed rows or columns restore them after each step (`advance_at_ends`), and planes at a fixed or mirrored side take steps that select
// all special cases (`advance_at_border`). The choice depends only on the turn and the tile, so it is uniform. The bits are those of single
// steps by this kernel, because no compiler can combine operations of two steps (shares/star.wgsl).
//
// Today: 27 points reach 1.1 times a copy's speed over 512 x 512 x 512 cells on an H200, 7 points 1.42 times; plane-sums reaches 0.8.
//
// Beyond the thesis. Its SOL variants load a halo of one cell; this is a halo of T cells. FastStencil (SC'26) streams
// planes through the registers of warps as well.
#import stencil/layer/*
#import stencil/shared/lines
#import stencil/shared/pack_sources
#import stencil/shares/*
#import stencil/exchange/rows
#import stencil/shared/span
#import stencil/shared/stream
#import stencil/levels/*
#import stencil/shared/tiles

fn height_of_tile() -> i32 { return i32(ROWS * STRIP); }

fn lines_of(down: i32) -> Span {
    let lost = i32(params.steps);
    let rows = i32(params.rows);
    return span_of(down, params.blocks_down, height_of_tile(), lost, rows, params.north, params.south);
}

// The number of turns until the last plane is written. The plane that comes to the last level is `BEHIND` planes
// before the one that comes to the first, and the level completes the plane before that.
const BEHIND: i32 = 2 * (LEVELS - 1);

fn turns_of(planes: LayerRange) -> i32 { return planes.end - planes.top + BEHIND + 1; }

// True if a tile has fixed rows, or fixed columns.
fn has_ends_at(tile: Tile) -> bool {
    let lines = lines_of(tile.down);
    let columns = columns_of(tile.across);
    return has_fixed(lines, height_of_tile(), i32(params.rows), params.north, params.south)
        || has_fixed(columns, width_of_tile(), i32(params.cols), params.west, params.east);
}

// Index of the first cell of plane `p` in the grid.
fn plane_start(p: i32) -> u32 { return layer_source(p) * params.rows * params.cols; }

// The constants of an invocation.
struct PlaneWork {
    planes: LayerRange,
    lines: Span,
    columns: Span,
    sources: LayerSources,
    place: u32,
    // The lanes that hold the rows before and behind its own. The outermost teams get their own: the cells that depend on these are not written.
    before: u32,
    behind: u32,
    // Its first cell.
    row: i32,
    col: i32,
}

fn work_of(id: vec3<u32>, place: u32) -> PlaneWork {
    let tile = tile_of(id);
    let lines = lines_of(tile.down);
    let columns = columns_of(tile.across);
    let row = lines.first + i32(place / COLS * STRIP);
    let col = columns.first + i32(place % COLS * PACKS) * LANES;
    let before = select(place - COLS, place, place < COLS);
    let behind = select(place, place + COLS, place + COLS < ROWS * COLS);
    return PlaneWork(layer_range(tile.layer), lines, columns, layer_sources(row, col), place, before, behind, row, col);
}

fn at_turn(work: PlaneWork, turn: i32) -> LanePosition {
    return LanePosition(work.planes.top + turn, u32(turn) & 1u, work.place, work.before, work.behind);
}

fn fetch_plane(work: PlaneWork, p: i32) -> Layer { return fetch(plane_start(p), work.sources); }

// Writes the plane that leaves the last level.
fn put_plane(work: PlaneWork, at: LanePosition, layer: Layer) {
    let p = at.layer - BEHIND - 1;
    if work.planes.begin <= p && p < work.planes.end {
        put_layer(work.lines, work.columns, u32(p) * params.rows * params.cols, work.row, work.col, layer);
    }
}

@compute @workgroup_size(COLS * ROWS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
#ifdef subgroups
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) width: u32,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
#else
    @builtin(local_invocation_index) place: u32,
#endif
) {
    let tile = tile_of(workgroup);
    let planes = layer_range(tile.layer);
    if planes.begin >= planes.end {
        return;
    }
#ifdef subgroups
    let place = subgroup * width + subgroup_lane;
#endif
    let work = work_of(workgroup, place);
    let k = weights();

    clear_exchanged(place);
    workgroupBarrier();
    var levels = Levels();
    levels.w0 = fetch_plane(work, planes.top);
    put_exchanged(0u, 0u, place, levels.w0);
    var ahead = fetch_plane(work, planes.top + 1);
    workgroupBarrier();

    // Each kind of turn has a separate loop, so that the hot code stays small.
    let turns = turns_of(planes);
    let plain = plain_turns(planes, turns, 1, BEHIND);
    let has_ends = has_ends_at(tile);
    var i = 0;
    for (var part = 0; part < 2; part++) {
        let fixed_cells = fixed_cells_of(work.sources);
        for (; i < select(plain.begin, turns, part == 1); i++) {
            let next = fetch_plane(work, planes.top + i + 2);
            levels = advance_at_border(k, levels, ahead, at_turn(work, i), work, fixed_cells);
            workgroupBarrier();
            ahead = next;
        }
        for (; IN_PAIRS && has_ends && i + 1 < plain.end; i += 2) {
            let next = fetch_plane(work, planes.top + i + 2);
            levels = advance_at_ends(k, levels, ahead, at_turn(work, i), work, fixed_cells);
            workgroupBarrier();
            ahead = fetch_plane(work, planes.top + i + 3);
            levels = advance_at_ends(k, levels, next, at_turn(work, i + 1), work, fixed_cells);
            workgroupBarrier();
        }
        for (; i < plain.end && has_ends; i++) {
            let next = fetch_plane(work, planes.top + i + 2);
            levels = advance_at_ends(k, levels, ahead, at_turn(work, i), work, fixed_cells);
            workgroupBarrier();
            ahead = next;
        }
        for (; IN_PAIRS && i + 1 < plain.end; i += 2) {
            let next = fetch_plane(work, planes.top + i + 2);
            levels = advance_inside(k, levels, ahead, at_turn(work, i), work);
            workgroupBarrier();
            ahead = fetch_plane(work, planes.top + i + 3);
            levels = advance_inside(k, levels, next, at_turn(work, i + 1), work);
            workgroupBarrier();
        }
        for (; i < plain.end; i++) {
            let next = fetch_plane(work, planes.top + i + 2);
            levels = advance_inside(k, levels, ahead, at_turn(work, i), work);
            workgroupBarrier();
            ahead = next;
        }
    }
}
