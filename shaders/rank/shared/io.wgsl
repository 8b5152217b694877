// Parameters, and the state that the dispatches of a selection pass on.
#import lib/grid/group_index

struct Params {
    // The position of the first element in the binding.
    first: u32,
    // Elements of a row that this dispatch covers, and the position in the row of the first one.
    len: u32,
    // For segments: the position of the binding in the buffer, in elements.
    index: u32,
    // Elements in a row.
    count: u32,
    // The first row of this dispatch, counted in the output.
    row: u32,
    // Workgroups per row of the grid, which share a row of elements.
    grid_row: u32,
    // Elements in the sample of a row.
    samples: u32,
    // Capacity for candidates per rank and row.
    room: u32,
    // 1 if this dispatch covers the last elements of its rows.
    is_last: u32,
    // The number of known digits, or of earlier merges.
    round: u32,
    // For the k smallest. With a workgroup per row: how many of the invocations' best elements are considered.
    k: u32,
    // Parts of a row whose ties are counted, the first one in this dispatch, and vectors per part.
    parts: u32,
    part: u32,
    span: u32,
    // The number of parts in this dispatch.
    here: u32,
    // Rows of this dispatch. With a workgroup per row, `grid_row` counts the rows per row of the grid.
    rows: u32,
    // The first entry of `list` for this dispatch.
    list: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// The state of each rank of each row: STATE words, below. `list` says what the ranks are.
@group(0) @binding(4) var<storage, read_write> state: array<atomic<u32>>;

// Invocations in a workgroup: a power of two.
override WG: u32 = 256u;
// Ranks per row.
override RANKS: u32 = 1u;

// The bracket: the sample puts the rank between these keys, both included, with high probability.
const LOW: u32 = 0u;
const HIGH: u32 = 2u;
// Elements below the bracket, equal to its ends, and between them.
const BELOW: u32 = 4u;
const AT_LOW: u32 = 5u;
const AT_HIGH: u32 = 6u;
const BETWEEN: u32 = 7u;
// 1 if there is a NaN.
const NANS: u32 = 8u;
// The smallest key that is still possible, and its number of unknown bits.
const BASE: u32 = 9u;
const BITS: u32 = 11u;
// Where the search goes on (below), the rank counted from `BASE`, and the number of possible elements.
const AMONG: u32 = 12u;
const LEFT: u32 = 13u;
const EQUAL: u32 = 14u;
// The complement of the smallest key above the result.
const NEXT: u32 = 15u;
// Workgroups that have counted, for each round.
const TICKETS: u32 = 17u;
// 1 if the sample has the low, or high, end of the bracket several times. Elements equal to it are then counted, not written as candidates.
const ENDPOINT_REPEATS: u32 = 24u;
// Words per rank.
const STATE: u32 = 26u;

// A search goes on among the candidates, or among all elements of the row.
const CANDIDATES: u32 = 1u;
const ALL: u32 = 2u;

fn known(rank: u32, word: u32) -> u32 { return atomicLoad(&state[rank * STATE + word]); }
fn put(rank: u32, word: u32, value: u32) { atomicStore(&state[rank * STATE + word], value); }
