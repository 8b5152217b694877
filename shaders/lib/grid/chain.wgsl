// chain: the prefix before a tile, while earlier tiles are still computed.
//
// A prefix depends on all elements before it. To read these once, a workgroup has to learn the sums of tiles that other workgroups hold, in the
// same dispatch:
//
//     tile          0      1      2    …   255  |  256    257   …        a block has 256 tiles
//     sum          s0     s1     s2       s255  | s256   s257            published as soon as a tile is loaded
//     prefix    p0                              p1                       published by the last tile of the block before
//     before        p0   p0+s0  p0+(s0+s1)      | p1    p1+s256
//
// * **Publish first.** A workgroup loads its tile, adds it up and publishes the sum at once. It scans its elements later.
// * **Collect in a fixed order.** Each invocation reads the sums of `BLOCK / WG` earlier tiles of the block, and the workgroup adds up all in the order
//   of the tiles, after the prefix of the block. So results have the same bits every time; a look-back that adds what it finds gives no such guarantee.
// * **It cannot hang.** WGSL does not promise that workgroups of earlier tiles make progress, or have begun. So a workgroup polls a bounded number
//   of times. Then it computes what is missing itself, and publishes it: first sums of tiles, then the prefix of a block from the last
//   prefix that is there. Whoever computes a sum, its bits are the same.
//
// Cost: a tile publishes 8 bytes per word of a state, and reads 8 bytes per word for each earlier tile of its block, from the cache that all workgroups
// share.
#import <io>
#import lib/grid/entry
#import lib/workgroup/order
#import <words>
#import lib/grid/links
#import lib/grid/slots
#import lib/state/*
#import lib/workgroup/through/*

// Tiles of a block: a multiple of the workgroup's invocations.
override BLOCK: u32 = 256u;
// How often a workgroup looks for what is missing. Mesa ends the loops of an invocation after 65 535 turns: those of 64 missing tiles.
override LOOKS: u32 = 1024u;
// True if a state comes before the first tile.
override CONTINUES: bool = false;
// True if tiles are taken from the last to the first, for tests: then all that lies before a tile is missing.
override REVERSED: bool = false;

// What a workgroup misses: the number of a tile, or one of these.
const NOTHING: u32 = 0xffffffffu;
const PREFIX: u32 = 0xfffffffeu;

var<workgroup> missing: atomic<u32>;
var<workgroup> verdict: u32;
// What lies before the tile.
var<workgroup> before: State;

#ifdef tested
// How long each fifth tile keeps its sum to itself.
override STALLS: u32 = 0u;

// Keeps a tile from publishing for a while. Where this text is in a kernel, an NVIDIA compiler gives it 115 registers in the place of 80.
fn stall(tile: u32) {
    for (var k = 0u; k < STALLS && tile % 5u == 2u; k += 1u) {
        atomicAdd(&links[0], 0u);
    }
}

// Counts a tile that is computed because its sum is missing, in the first word of the links, or because a prefix is, in the second.
fn count_computed(missed: u32) { atomicAdd(&links[u32(missed == PREFIX)], 1u); }
#endif

fn look_for(slot: u32) -> Seen {
    var seen = seen_words(slot);
    for (var k = 0u; k < LOOKS && !seen.is_there; k += 1u) {
        seen = seen_words(slot);
    }
    return seen;
}

// Sets `before` to the state of the tiles before `tile`, from tile `since` on. Returns the first missing tile, `PREFIX` or `NOTHING`.
fn find_before(side: u32, tile: u32, since: u32, at: Place, wg: Workgroup) -> u32 {
    let lid = order_in_group(at, wg);
    let block = tile / BLOCK * BLOCK;
    let first = max(since, block);
    let each = BLOCK / WG;
    // The last invocation has the tiles right before this one.
    let distance = (WG - lid) * each;
    var sum = no_state();
    var has_some = false;
    for (var k = 0u; k < each; k += 1u) {
        if distance - k <= tile - first {
            let number = tile - (distance - k);
            let seen = look_for(tile_slot(side, number));
            if !seen.is_there {
                atomicMin(&missing, number);
            }
            let own = from_words(seen.words);
            if has_some {
                sum = joined(sum, own);
            } else {
                sum = own;
            }
            has_some = true;
        }
    }
    // The first row of a window does not continue the last row of the window before.
    let is_open = since < block || (CONTINUES && !ROWS && block == 0u);
    if lid == 0u && is_open {
        let seen = look_for(prefix_slot(side, block / BLOCK));
        if !seen.is_there {
            atomicMin(&missing, PREFIX);
        }
        before = from_words(seen.words);
    }
    let invocations = (tile - first + each - 1u) / each;
    sum = through(sum, max(lid + invocations, WG) - WG, at, wg);
    if lid == WG - 1u {
        if !is_open {
            before = no_state();
        }
        if is_open && invocations > 0u {
            before = joined(before, sum);
        } else if invocations > 0u {
            before = sum;
        }
        verdict = atomicExchange(&missing, NOTHING);
    }
    return workgroupUniformLoad(&verdict);
}

// The tile to work at next: the one that was missing; for a prefix, the last tile of the block before; without anything missing, the own one.
fn tile_for(missed: u32, work: u32, own: u32) -> u32 {
    let other = select(missed, work / BLOCK * BLOCK - 1u, missed == PREFIX);
    return select(other, own, missed == NOTHING);
}
