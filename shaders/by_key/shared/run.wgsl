// Summaries of neighbouring pairs, and where those of tiles and of groups of tiles are.
//
//   links  A ticket, in front. In slots of the chain, behind the words that others look for, of each tile: the runs that begin in it, the pair where the
//          first begins, that of the last, and again the first number. `join` replaces the first and the third by those of all earlier tiles of the
//          group. Likewise of each group: the first and the third. Behind all slots the rooms of tiles: the pairs at which runs begin.
//   ends   Accumulators. Of each tile that of what lies before its first run, and that of its last run, which `join` replaces by that of the run that
//          reaches into it; of each group that of its last run. The rooms of tiles: what lies before each run.
#import by_key/shared/io
#import lib/grid/slots
#import <operator>

// The word of the links with the next tile, behind the counters of tests.
const TICKET: u32 = 2u;

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
fn room_in_ends(tile: u32) -> u32 { return 2u * params.tiles + groups() + tile * params.room; }
