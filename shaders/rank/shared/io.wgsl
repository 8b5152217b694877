// Parameters, and what the dispatches of a selection hand to each other.
#import lib/grid/group_index

struct Params {
    // The position of the first element in the binding.
    first: u32,
    // Elements of a row that this dispatch covers, and the position in the row of the first of them.
    len: u32,
    // Of segments, the place of the binding in the buffer, in elements.
    index: u32,
    // Elements of a row.
    count: u32,
    // The first row of this dispatch, among those of the output.
    row: u32,
    // Workgroups in a row of the grid: those that share a row of elements.
    grid_row: u32,
    // Elements in the sample of a row.
    samples: u32,
    // Candidates that a rank of a row has room for.
    room: u32,
    // 1 if this dispatch covers the last elements of its rows.
    is_last: u32,
    // The number of digits that are known, or of merges before.
    round: u32,
    // For the k smallest. If a workgroup has a row: the number of the best elements of invocations that are looked at.
    k: u32,
    // The parts of a row whose ties are counted, the first of this dispatch, and the vectors of each.
    parts: u32,
    part: u32,
    span: u32,
    // The parts that this dispatch covers.
    here: u32,
    // Rows of this dispatch. If a workgroup has one, `grid_row` are those of a row of the grid.
    rows: u32,
    // The first entry of `list` for this dispatch.
    list: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// The knowledge about each rank of each row: STATE words, below. The meaning of ranks is in `list`.
@group(0) @binding(4) var<storage, read_write> state: array<atomic<u32>>;

// Invocations in a workgroup: a power of two.
override WG: u32 = 256u;
// Ranks of a row.
override RANKS: u32 = 1u;

// The bracket: the sample says that the rank is probably between these keys. Both are included.
const LOW: u32 = 0u;
const HIGH: u32 = 2u;
// Elements below the bracket, equal to its ends, and between them.
const BELOW: u32 = 4u;
const AT_LOW: u32 = 5u;
const AT_HIGH: u32 = 6u;
const BETWEEN: u32 = 7u;
// 1 if there is a NaN.
const NANS: u32 = 8u;
// The lowest key that the searched one can be, and how many bits of it are still unknown.
const BASE: u32 = 9u;
const BITS: u32 = 11u;
// Elements that the search is among (below), the rank among those from `BASE` on, and how many of them are possible.
const AMONG: u32 = 12u;
const LEFT: u32 = 13u;
const EQUAL: u32 = 14u;
// The complement of the lowest key above the one that was found.
const NEXT: u32 = 15u;
// Workgroups that have counted, for each round.
const TICKETS: u32 = 17u;
// 1 if the sample has the low, or the high, end of the bracket several times. Elements equal to it are then counted, and no candidates.
const ENDPOINT_REPEATS: u32 = 24u;
// Words of a rank.
const STATE: u32 = 26u;

// Searches are among the candidates, or among all elements of the row.
const CANDIDATES: u32 = 1u;
const ALL: u32 = 2u;

fn known(rank: u32, word: u32) -> u32 { return atomicLoad(&state[rank * STATE + word]); }

fn put(rank: u32, word: u32, value: u32) {
    atomicStore(&state[rank * STATE + word], value);
}
