// Summaries of neighbouring pairs, and where those of tiles and of groups of tiles are.
//
//   links  in the slots of the chain, behind the words that others look for: of each tile the runs that begin before it in its group, the pair at
//          which its first run begins, the pair at which the run begins that reaches into it, and the runs that begin in it; until tiles are
//          joined its own runs, and where the last of them begins; of each group the same, without the second, and once more behind
//          them, of all pairs; behind all slots the rooms of tiles: the pairs at which runs begin.
//   ends   of each tile the accumulators of what lies before its first run, and of the run that reaches into it; of each group the latter;
//          the rooms of tiles: the accumulators of runs that begin and end in a tile.
#import by_key/shared/io
#import lib/grid/slots
#import <operator>

@group(0) @binding(7) var<storage, read_write> ends: array<Acc>;

struct Runs {
    // Runs that begin among them.
    count: u32,
    // The index of the pair at which the last of these begins.
    begin: u32,
    // The accumulator of the last run's pairs; of all of them, if no run begins.
    acc: Acc,
}

fn no_runs() -> Runs { return Runs(0u, 0u, identity()); }

// Pairs `a` and, behind them, pairs `b`.
fn join(a: Runs, b: Runs) -> Runs {
    if b.count > 0u {
        return Runs(a.count + b.count, b.begin, b.acc);
    }
    return Runs(a.count, a.begin, combine(a.acc, b.acc));
}

fn groups() -> u32 { return (params.tiles + WG - 1u) / WG; }

// The places of a tile's room among the links and the ends.
fn room_in_links(tile: u32) -> u32 { return tile_slot(0u, params.slots) + tile * params.room; }

fn room_in_ends(tile: u32) -> u32 { return 2u * params.tiles + groups() + 1u + tile * params.room; }
