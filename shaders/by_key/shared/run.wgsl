// A summary of neighbouring pairs.
#import by_key/shared/io
#import by_key/lists/*

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

// The runs of a tile, before tiles are joined.
fn runs_in(tile: u32) -> Runs {
    let summary = tiles[tile];
    return Runs(summary.x, summary.z, ends[2u * tile + 1u]);
}

// The place in `tiles` of a group.
fn place_of(group: u32) -> u32 { return params.tiles + group; }

// The place in `tiles` of the number of a group's crowded tiles; these follow it.
fn crowded_at(group: u32) -> u32 {
    let groups = (params.tiles + WG - 1u) / WG;
    return params.tiles + groups + 1u + group * (WG + 1u);
}

// The runs before a tile: those before its group, and those before it in its group.
fn before(tile: u32) -> Runs {
    let own = tiles[tile];
    let group = tiles[place_of(tile / WG)];
    return join(
        Runs(group.x, group.z, ends[2u * params.tiles + tile / WG]),
        Runs(own.x, own.z, ends[2u * tile + 1u]),
    );
}
