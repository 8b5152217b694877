// The pairs of an invocation: sixteen in a row of its workgroup's tile.
#import io
#import keys
#import run
#import values

const ITEMS: u32 = 16u;

struct Own {
    // The first pair, and how many there are.
    at: u32,
    len: u32,
    // A bit for each at which a run begins, the lowest for the first.
    starts: u32,
    keys: RunKeys,
}

fn own_pairs(tile: u32, lid: u32) -> Own {
    let at = (tile * WG + lid) * ITEMS;
    let len = min(params.count - min(at, params.count), ITEMS);
    let keys = own_keys(at);
    return Own(at, len, starts_of(keys, at) & ((1u << len) - 1u), keys);
}

// The summary of these pairs.
fn runs_of(own: Own, acc: Acc) -> Runs {
    if own.starts == 0u {
        return Runs(0u, 0u, acc);
    }
    return Runs(countOneBits(own.starts), own.at + firstLeadingBit(own.starts), acc);
}
