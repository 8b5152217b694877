// time-pipeline, 5 and 9 points: many steps for one trip through memory, borders kept at every step.
//
// A step that goes through memory reads a cell and writes a cell, and no kernel does that faster than a copy. Twenty steps
// that each go through memory take twenty copies. But a new cell is made of its neighbours; a cell two steps on, of what
// lies two around it; T steps on, T around it. So a workgroup that has loaded a strip of columns with T more on either
// side can make all T steps before it writes anything. The mapping is the thesis's overlapped one, whose workgroups load
// a rim that they do not compute: SOL is the case T = 1.
//
// The strip is narrow and the grid is long, so the workgroup does not hold the strip. It streams down its rows:
//
//     row r of the grid  ->  step 1 of row r-1  ->  step 2 of row r-2  ->  ...  ->  step T of row r-T, written
//
// Every step needs three rows of the one before, so each of the T time levels remembers what two rows left behind (how:
// shared/time_step.wgsl), and each row that comes in at the front sends one out at the end. Memory is read and written once
// for T steps. What decides now are the instructions: five a cell and step for five points.
//
// Where the T levels live:
//
//   * In registers, first of all. A lane holds CELLS cells of a row side by side, so of its neighbours to the west and
//     east it asks other lanes only for the outermost two. That is one shuffle each a row and level; without subgroups it is
//     workgroup memory and, between two levels, a barrier (shared/team_ring.wgsl).
//   * A lane's registers hold LEVELS levels of its cells, four perhaps. So the levels are spread over the teams of the
//     workgroup: COLS lanes (a subgroup, or a part of one) make LEVELS steps and hand the rows on to the next team through
//     workgroup memory. It is a pipeline of ROWS teams, each working on rows somewhat higher up than the team before it:
//
//         turn      team 0                 team 1                 team 2 (last)
//          t        rows 8 and 9           rows 2 and 3           rows -4 and -3
//          t + 1    rows 10 and 11         rows 4 and 5           rows -2 and -1
//
//   * One barrier a turn, after which each finds what the one before it has left. A turn takes TURN rows: a barrier is cheap
//     where a lane has made about a hundred cells since the last one. Two rows also spare the moves that one row costs: what was
//     the newest row of a level is the older one next, and with two of them each comes to lie where it was.
//   * Rows of the grid are fetched by all invocations a turn before they are staged in the ring, and two before they are
//     read, with no more registers than those under way. All loads from the ring stand before the first store to it.
//
// The price is double work: of the strip's columns T on either side are stepped, less and less of them right, and not
// written. (At a fixed side none are lost, as nothing beyond is asked for.) And each workgroup's rows take T rows to lead in and
// as many to lead out. So strips want to be wide, T a small part of that, and workgroups tall; but there must be enough
// of them to fill the GPU, in whole waves.
//
// Borders are kept at every step, on every side. Columns beyond a mirror or a ring's side are loaded as what is there, and
// stepped like any other (shared/places.wgsl). A strip at a fixed side ends with it, so the fixed cells are the outermost of
// the team, and are put back after each step (`advance_at_ends`). While a row at a fixed side or a mirror passes through
// some level, the workgroup takes its turns through steps with selections for everything (`advance_at_border`). Which
// way a turn goes depends on nothing but the turn and the strip, so all invocations go together.
//
// A pass may make fewer steps than there are levels (`params.steps`): the levels that are left over pass their rows on.
// The bits are those of single steps by this kernel in any case, since no compiler has anything to put together across two
// steps (shares/star5.wgsl).
//
// Beyond the thesis. Rotated registers, teams and a ring are after FastStencil (SC'26), which keeps no borders; streaming and
// levels in registers were in AN5D and SSAM before it.
#import grid2d
#import team_levels
#import team_ring
#import feed

// The rows that a workgroup writes, and the first one that it loads.
struct Rows {
    begin: i32,
    end: i32,
    top: i32,
}

fn rows_of(block: Block) -> Rows {
    let begin = params.begin + u32(block.down) * params.planes_per_group;
    let end = min(begin + params.planes_per_group, params.end);
    let lead = i32(begin) - i32(params.steps);
    // Above a fixed side and above a mirror there is nothing to load.
    let starts_at_side = params.north == FIXED || params.north == MIRROR;
    return Rows(i32(begin), i32(end), select(lead, max(lead, 0), starts_at_side));
}

// The columns that a workgroup writes, and the first one that it loads: each a multiple of LANES.
struct Columns {
    begin: i32,
    end: i32,
    first: i32,
}

fn width_of_strip() -> i32 {
    return i32(COLS * PACKS) * LANES;
}

fn columns_of(block: Block) -> Columns {
    let width = width_of_strip();
    let cols = i32(params.cols);
    let lost = (i32(params.steps) + LANES - 1) / LANES * LANES;
    let first = block.across * (width - 2 * lost) - select(lost, 0, params.west == FIXED);
    let is_last = block.across + 1 == i32(params.blocks_across);
    // A strip at a fixed side ends with it, so that the fixed cells are the first of the first lane, or the last of the last.
    let at_east = is_last && params.east == FIXED && cols >= width;
    return Columns(
        select(first + lost, 0, block.across == 0),
        select(first + width - lost, cols, is_last),
        select(first, cols - width, at_east),
    );
}

// Rows from that which comes to a team's first level to that which goes out of its last.
const TEAM_DELAY: i32 = (LEVELS - 1) * LAG + 1;

// Turns until the last row has come out of the last team.
fn turns_of(rows: Rows) -> i32 {
    let passed = rows.end - rows.top + i32(ROWS) * TEAM_DELAY;
    return (passed + TURN_ROWS - 1) / TURN_ROWS + i32(ROWS) - 1;
}

// Which of a lane's outermost cells are fixed, if the strip is no narrower than the grid.
fn ends_of(columns: Columns, col: i32) -> Ends {
    let end = col + i32(PACKS) * LANES;
    return Ends(col == 0 && params.west == FIXED, end == i32(params.cols) && params.east == FIXED);
}

// Which turns meet a side: those before `north`, and those from `south` on.
struct Sides {
    north: i32,
    south: i32,
}

fn sides_of(rows: Rows, turns: i32) -> Sides {
    // Levels that are left over, and strips that a fixed side ends somewhere inside, are special in every turn.
    let has_fixed = params.west == FIXED || params.east == FIXED;
    let is_narrow = has_fixed && i32(params.cols) < width_of_strip();
    if is_narrow || i32(params.steps) < i32(ROWS) * LEVELS {
        return Sides(turns, turns);
    }
    let has_north = params.north == FIXED || params.north == MIRROR;
    let has_south = params.south == FIXED || params.south == MIRROR;
    // The last team's last level is so many rows behind the row that comes in.
    let behind = i32(ROWS) * TEAM_DELAY + (i32(ROWS) - 1) * TURN_ROWS;
    let past_north = (behind + 1 - rows.top) / TURN_ROWS + 1;
    let before_south = max(i32(params.rows) - 1 - rows.top, 0) / TURN_ROWS;
    let north = select(0, clamp(past_north, 0, turns), has_north && rows.top <= 1);
    return Sides(north, select(turns, clamp(before_south, north, turns), has_south));
}

// What an invocation knows all the time.
struct Work {
    rows: Rows,
    columns: Columns,
    feed: Feed,
    team: u32,
    lane: u32,
    place: u32,
    // The column of its first cell.
    col: i32,
}

// A turn that has begun: where its team stands, the rows that it reads, and those that are fetched meanwhile.
struct Turn {
    at: At,
    fed: Fed,
    ahead: Fetched,
}

fn begin_turn(work: Work, turn: i32) -> Turn {
    let half = u32(turn) & 1u;
    let slot = slot_of(half, work.team);
    let row = work.rows.top + (turn - i32(work.team)) * TURN_ROWS - i32(work.team) * TEAM_DELAY;
    return Turn(
        At(row, i32(work.team) * LEVELS, half, slot, work.lane, work.place),
        fed_of(slot, work.lane),
        fetch(work.feed, work.rows.top + (turn + 2) * TURN_ROWS),
    );
}

// Hands the rows on, stages those that were fetched a turn before, and waits for the others.
fn end_turn(work: Work, turn: Turn, made: Fed, waiting: Fetched) {
    let half = 1u - turn.at.half;
    if work.team + 1u < ROWS {
        hand_on(slot_of(half, work.team + 1u), work.lane, made);
    } else {
        put_rows(work.rows, work.columns, turn.at.row - TEAM_DELAY, work.col, made);
    }
    stage(work.feed, slot_of(half, 0u), waiting);
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
    let rows = rows_of(block);
    if rows.begin >= rows.end {
        return;
    }
#ifdef subgroups
    let place = subgroup * width + subgroup_lane;
#endif
    let columns = columns_of(block);
    let lane = place % COLS;
    let col = columns.first + i32(lane * PACKS) * LANES;
    let work = Work(rows, columns, feed_of(place, columns.first), place / COLS, lane, place, col);
    let spots = spots_of(col);
    let k = weights();

    clear_ring(place);
    let fetched = fetch(work.feed, rows.top);
    workgroupBarrier();
    stage(work.feed, slot_of(0u, 0u), fetched);
    var waiting = fetch(work.feed, rows.top + TURN_ROWS);
    var levels = Team();
    workgroupBarrier();

    // Each kind of turn is a loop of its own: what is run again and again stays small.
    let turns = turns_of(rows);
    let sides = sides_of(rows, turns);
    let ends = ends_of(columns, work.col);
    let has_ends = (block.across == 0 && params.west == FIXED)
        || (block.across + 1 == i32(params.blocks_across) && params.east == FIXED);
    var i = 0;
    for (var part = 0; part < 2; part++) {
        let kept = kept_row(spots);
        for (; i < select(sides.north, turns, part == 1); i++) {
            let turn = begin_turn(work, i);
            let made = advance_at_border(k, levels, turn.fed, turn.at, spots, kept);
            end_turn(work, turn, made.rows, waiting);
            levels = made.team;
            waiting = turn.ahead;
        }
        for (; i < sides.south && has_ends; i++) {
            let turn = begin_turn(work, i);
            let made = advance_at_ends(k, levels, turn.fed, turn.at, spots, ends);
            end_turn(work, turn, made.rows, waiting);
            levels = made.team;
            waiting = turn.ahead;
        }
        for (; i < sides.south; i++) {
            let turn = begin_turn(work, i);
            let made = advance(k, levels, turn.fed, turn.at, spots);
            end_turn(work, turn, made.rows, waiting);
            levels = made.team;
            waiting = turn.ahead;
        }
    }
}
