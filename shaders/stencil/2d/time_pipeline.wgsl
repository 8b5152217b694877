// time-pipeline, 5 and 9 points: many steps per sweep over memory, with exact borders at every step.
//
// A step that is a sweep over memory reads and writes every cell, and no kernel does that faster than a copy. Twenty such steps take as long as
// twenty copies. But a new cell depends only on its neighbours; after two steps it depends on the cells up to two away, and after T steps on those up
// to T away. So a workgroup that has loaded a strip of columns with T more on either side can take all T steps before it writes anything. The mapping
// is the thesis's overlapped one, whose workgroups load a rim that they do not compute: SOL is the case T = 1.
//
// The strip is narrow and the grid is long, so the workgroup does not hold the strip. It streams down its rows:
//
//     row r of the grid  ->  step 1 of row r-1  ->  step 2 of row r-2  ->  ...  ->  step T of row r-T, written
//
// Every step needs three rows of the previous step, so each of the T time levels keeps the contributions of
// two rows (see shared/time_step.wgsl). For each row that enters, one finished row leaves. Memory is read and
// written once per T steps. What decides now are the instructions: five a cell and step for five points.
//
// Where the T levels live:
//
//   * In registers. A lane holds CELLS neighbouring cells of a row, so it needs only two cells of other lanes: the ones to
//     the west and east of its own. This takes one shuffle each per row and level; without subgroups it takes workgroup
//     memory and, between two levels, a barrier (exchange/ring.wgsl).
//   * A lane's registers hold LEVELS levels of its cells, for instance four. So the levels are spread over the teams of
//     the workgroup: COLS lanes (a subgroup, or a part of one) take LEVELS steps and pass the rows to the next team
//     through workgroup memory. This is a pipeline of ROWS teams; each works on rows above those of the previous team:
//
//         turn      team 0                 team 1                 team 2 (last)
//          t        rows 8 and 9           rows 2 and 3           rows -4 and -3
//          t + 1    rows 10 and 11         rows 4 and 5           rows -2 and -1
//
//   * One barrier per turn, after which each team finds the rows of the previous one. A turn takes TURN rows: a barrier is
//     cheap if a lane has computed about a hundred cells since the last one. Two rows also save register moves: the newest
//     row of a level becomes its older one, and with two rows per turn each row stays in its registers.
//   * All invocations fetch rows of the grid one turn before these are staged in the ring, and two turns before they are
//     read; this takes registers only for the rows in flight. All loads from the ring come before the first store to it.
//
// The price is double work: T columns on either side of the strip are stepped and not written, and fewer of them are valid after each step. (At a
// fixed side no columns are lost, because nothing beyond it is needed.) And each workgroup takes T rows to fill the pipeline and T rows to drain it.
// So strips should be wide compared with T, and workgroups tall; but there must be enough workgroups to fill the GPU, in complete waves.
//
// Borders are exact at every step, on every side. Columns beyond a mirrored or periodic side are loaded from the cells that they stand for, and
// stepped like all others (shared/pack_sources.wgsl). A strip at a fixed side ends there, so the fixed cells are the outermost of the team, and are
// restored after each step (`advance_at_ends`). While a row at a fixed or mirrored side passes through a level, the workgroup takes steps that select
// all special cases (`advance_at_border`). The choice depends only on the turn and the strip, so it is uniform.
//
// The bits are always those of single steps by this kernel, because no compiler can combine operations of two
// steps (shares/star.wgsl). So a run may be cut into sweeps of any numbers of steps; each number has a kernel of its own.
//
// Beyond the thesis. Rotated registers, teams and a ring come from FastStencil (SC'26), which has no borders;
// streaming and levels in registers were in AN5D and SSAM before it.
#import stencil/shared/fetch_rows
#import stencil/layer/*
#import stencil/shares/*
#import stencil/shared/span
#import stencil/shared/stream
#import stencil/levels/*
#import stencil/exchange/ring
#import stencil/shared/blocks2d

// The distance in rows from the row that enters a team's first level to the row that leaves its last.
const TEAM_DELAY: i32 = (LEVELS - 1) * LAG + 1;

// The number of turns until the last row has left the last team.
fn turns_of(rows: LayerRange) -> i32 {
    let passed = rows.end - rows.top + i32(ROWS) * TEAM_DELAY;
    return (passed + TURN_ROWS - 1) / TURN_ROWS + i32(ROWS) - 1;
}

// The outermost cells of a lane that are fixed, if the strip is not narrower than the grid.
fn ends_of(col: i32) -> Ends {
    let end = col + i32(PACKS) * LANES;
    return Ends(col == 0 && params.west == FIXED, end == i32(params.cols) && params.east == FIXED);
}

// The turns without special cases.
fn plain_turns_of(rows: LayerRange, turns: i32) -> Plain {
    // A strip that contains a fixed side in its interior needs special handling in every turn.
    let every_turn = (params.west == FIXED || params.east == FIXED) && i32(params.cols) < width_of_tile();
#ifdef subgroups
    // Compilers unroll the loops of this case and of the other one separately, with fewer registers in each. FXC then refuses
    // the barriers in them, but it has no subgroup operations.
    if every_turn {
        return Plain(turns, turns);
    }
#endif
    let plain = plain_turns(rows, turns, TURN_ROWS, i32(ROWS) * TEAM_DELAY + (i32(ROWS) - 1) * TURN_ROWS);
    return Plain(select(plain.begin, turns, every_turn), select(plain.end, turns, every_turn));
}

// The constants of an invocation.
struct RowWork {
    rows: LayerRange,
    columns: Span,
    fetches: RowFetches,
    team: u32,
    lane: u32,
    place: u32,
    // The column of its first cell.
    col: i32,
}

// A turn that has begun: its team's position, the rows that it reads, and the rows fetched meanwhile.
struct Turn {
    at: TeamPosition,
    arriving: TurnRows,
    ahead: FetchedPacks,
}

fn begin_turn(work: RowWork, turn: i32) -> Turn {
    let half = u32(turn) & 1u;
    let slot = slot_of(half, work.team);
    let row = work.rows.top + (turn - i32(work.team)) * TURN_ROWS - i32(work.team) * TEAM_DELAY;
    return Turn(
        TeamPosition(row, half, slot, work.lane, work.place),
        rows_in_slot(slot, work.lane),
        fetch(work.fetches, work.rows.top + (turn + 2) * TURN_ROWS),
    );
}

// Passes rows on, stages those fetched in the previous turn, and waits for the others.
fn end_turn(work: RowWork, turn: Turn, made: TurnRows, waiting: FetchedPacks) {
    let half = 1u - turn.at.half;
    if work.team + 1u < ROWS {
        pass_rows(slot_of(half, work.team + 1u), work.lane, made);
    } else {
        put_rows(work.rows, work.columns, turn.at.row - TEAM_DELAY, work.col, made);
    }
    stage(work.fetches, slot_of(half, 0u), waiting);
    workgroupBarrier();
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
    let block = block_of(workgroup);
    let rows = layer_range(u32(block.down));
    if rows.begin >= rows.end {
        return;
    }
#ifdef subgroups
    let place = subgroup * width + subgroup_lane;
#endif
    let columns = columns_of(block.across);
    let lane = place % COLS;
    let col = columns.first + i32(lane * PACKS) * LANES;
    let work = RowWork(rows, columns, row_fetches(place, columns.first), place / COLS, lane, place, col);
    let sources = layer_sources(col);
    let k = weights();

    clear_ring(place);
    let fetched = fetch(work.fetches, rows.top);
    workgroupBarrier();
    stage(work.fetches, slot_of(0u, 0u), fetched);
    var waiting = fetch(work.fetches, rows.top + TURN_ROWS);
    var levels = Levels();
    workgroupBarrier();

    // Each kind of turn has a separate loop, so that the hot code stays small.
    let turns = turns_of(rows);
    let plain = plain_turns_of(rows, turns);
    let ends = ends_of(work.col);
    let has_ends = has_fixed(columns, width_of_tile(), i32(params.cols), params.west, params.east);
    var i = 0;
    for (var part = 0; part < 2; part++) {
        let fixed_cells = fixed_cells_of(sources);
        for (; i < select(plain.begin, turns, part == 1); i++) {
            let turn = begin_turn(work, i);
            let made = advance_at_border(k, levels, turn.arriving, turn.at, sources, fixed_cells);
            end_turn(work, turn, made.rows, waiting);
            levels = made.levels;
            waiting = turn.ahead;
        }
        for (; i < plain.end && has_ends; i++) {
            let turn = begin_turn(work, i);
            let made = advance_at_ends(k, levels, turn.arriving, turn.at, sources, ends);
            end_turn(work, turn, made.rows, waiting);
            levels = made.levels;
            waiting = turn.ahead;
        }
        for (; i < plain.end; i++) {
            let turn = begin_turn(work, i);
            let made = advance_inside(k, levels, turn.arriving, turn.at, sources);
            end_turn(work, turn, made.rows, waiting);
            levels = made.levels;
            waiting = turn.ahead;
        }
    }
}
