// In 2D: the levels of a team, the rows of a turn, and the steps between levels.
#import stencil/layer/row
#import stencil/exchange/ring
#import stencil/shared/fetch_rows
#import stencil/shared/span
#import stencil/shared/stream
#import stencil/shared/time_step

#ifdef subgroups
#let lag = 1
#else
#let lag = $(1 + TURN)
#endif
const TURN: u32 = $(TURN)u;
const TURN_ROWS: i32 = $TURN;
const LEVELS: i32 = $LEVELS;
// Rows that a level lags behind the one before it.
const LAG: i32 = $lag;
#ifndef subgroups
#if LEVELS == 1
const WAITING: u32 = 1u;
#else
const WAITING: u32 = $(LEVELS - 1)u;
#endif
#endif

// The rows of one turn.
struct TurnRows {
    #for y in 0..TURN: r$y: Layer,
}

// Each level, and without subgroups the rows that wait for a barrier in front of it.
struct Levels {
    #for l in 0..LEVELS: l$l: Level,
#ifndef subgroups
    #for l in 1..LEVELS: w$l: TurnRows,
#endif
}

// A turn's result: the levels, and the rows that leave the last one.
struct Advanced {
    levels: Levels,
    rows: TurnRows,
}

// A turn inside of the grid, with fixed cells along the row, or with a row at a side: every row goes through every level. Without subgroups, a row
// that waits in front of a level is taken before the next level leaves another there. With subgroups, the cells that the next level needs of
// other lanes are on their way while this one begins its sums.
#for kind in inside at_ends at_border
fn advance_$kind(
    k: Weights,
    levels: Levels,
    arriving: TurnRows,
    at: TeamPosition,
    sources: LayerSources,
    #if kind == at_ends: ends: Ends,
    #if kind == at_border: fixed_cells: FixedCells,
) -> Advanced {
#for n in 0..TURN * LEVELS
#ifdef subgroups
#let y = $(n / LEVELS)
#let l = $(n % LEVELS)
#else
#let y = $(n % TURN)
#let l = $(LEVELS - 1 - n / TURN)
#endif
#let before = $(l - 1)
#let level = level$l_$(y - 1)
#if y == 0: #let level = levels.l$l
#let came = at.row + $(y - l * lag)
#if y < l * lag: #let came = at.row - $(l * lag - y)
#ifdef subgroups
#let own = out$before_$y
#if l == 0
#let own = arriving.r$y
    let edges$l_$y = edges_of($own);
#endif
#else
#let own = levels.w$l.r$y
#let edges = edges_of_lane_ends(at.half, $(before)u, $(y)u, at.place)
#if l == 0
#let own = arriving.r$y
#let edges = edges_in_slot(at.slot, $(y)u, at.lane)
#endif
    let edges$l_$y = $edges;
#endif
#let given = k, $level, $own, edges$l_$y
#let special =
#if kind == at_ends: #let special = , ends
#if kind == at_border: #let special = , special_of($came, fixed_cells)
    let out$l_$y = out_of_$kind($given$special);
#ifdef subgroups
#if l + 1 < LEVELS
    let edges$(l + 1)_$y = edges_of(out$l_$y);
#endif
#endif
    let level$l_$y = level_of_$kind($given, added_to($came, sources)$special);
#end
#ifndef subgroups
#for l in 0..LEVELS - 1
    #for y in 0..TURN: put_lane_ends(1u - at.half, $(l)u, $(y)u, at.place, out$l_$y);
#end
#endif
    return Advanced(
        Levels(
            #for l in 0..LEVELS: level$l_$(TURN - 1),
#ifndef subgroups
#for l in 0..LEVELS - 1
            TurnRows(
                #for y in 0..TURN: out$l_$y,
            ),
#end
#endif
        ),
        TurnRows(
            #for y in 0..TURN: out$(LEVELS - 1)_$y,
        ),
    );
}

#end
fn rows_in_slot(slot: u32, lane: u32) -> TurnRows {
    return TurnRows(
        #for y in 0..TURN: row_in_slot(slot, $(y)u, lane),
    );
}

fn pass_rows(slot: u32, lane: u32, arriving: TurnRows) {
    #for y in 0..TURN: put_in_slot(slot, $(y)u, lane, arriving.r$y);
}

fn put_rows(rows: LayerRange, columns: Span, r: i32, c: i32, arriving: TurnRows) {
#for y in 0..TURN
    if rows.begin <= r + $y && r + $y < rows.end {
        put_row(columns, u32(r + $y) * params.cols, c, arriving.r$y);
    }
#end
}

// The packs that an invocation fetches each turn.
struct RowFetches {
    #for i in 0..FETCHES: e$i: PackFetch,
}

struct FetchedPacks {
    #for i in 0..FETCHES: f$i: Pack,
}

fn row_fetches(place: u32, first_col: i32) -> RowFetches {
    return RowFetches(
        #for i in 0..FETCHES: pack_fetch(place, $(i)u, first_col),
    );
}

fn fetch(fetches: RowFetches, row: i32) -> FetchedPacks {
    return FetchedPacks(
        #for i in 0..FETCHES: fetch_one(fetches.e$i, row),
    );
}

fn stage(fetches: RowFetches, slot: u32, fetched: FetchedPacks) {
    #for i in 0..FETCHES: stage_one(fetches.e$i, slot, fetched.f$i);
}
