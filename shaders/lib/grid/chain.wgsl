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
// * **It cannot hang.** Tiles are handed out by a ticket, so all earlier tiles have begun. WGSL does not promise that their workgroups make progress.
//   So a workgroup polls a bounded number of times. Then it computes what is missing itself, and publishes it: first sums of
//   tiles, then the prefix of a block from the last prefix that is there. Whoever computes a sum, its bits are the same.
//
// The links have two sides: a dispatch uses one and clears the other for its next use. Its ticket counts through side 0, then side 1, then restarts.
// The links hold two counters for tests and a ticket for each dispatch of the plan; then for each side the sums, the prefixes and an end slot.
//
// Cost: a tile publishes 8 bytes per word of a state, and reads 8 bytes per word for each earlier tile of its block, from the cache that all workgroups
// share.
#import <io>
#import lib/grid/entry
#import lib/workgroup/order
#import <words>
#import lib/grid/links
#import lib/workgroup/through/*
#import scan/shared/rows

// Tiles of a block: a multiple of the workgroup's invocations.
override BLOCK: u32 = 256u;
// How often a workgroup looks for what is missing.
override LOOKS: u32 = 4096u;
// True if a state comes before the first tile.
override CONTINUES: bool = false;
// True if tiles are handed out from the last to the first, for tests: then all that lies before a tile is missing.
override REVERSED: bool = false;

// Words of a slot: whole sectors of the cache. Where slots share one, polls of a slot delay stores to another: without
// padding, to select half of the elements takes 1.07 times as long on an NVIDIA H200.
const SLOT_WORDS: u32 = (2u * ACC_WORDS + 7u) / 8u * 8u;

// What a workgroup misses: the number of a tile, or one of these.
const NOTHING: u32 = 0xffffffffu;
const PREFIX: u32 = 0xfffffffeu;

var<workgroup> ticket: u32;
var<workgroup> missing: atomic<u32>;
var<workgroup> verdict: u32;
// What lies before the tile.
var<workgroup> before: Acc;

// A tile of this dispatch, and the side of the links that it uses.
struct Turn {
    tile: u32,
    side: u32,
}

// Takes the next tile.
fn next_turn(lid: u32) -> Turn {
    if lid == 0u {
        let drawn = atomicAdd(&links[params.ticket], 1u);
        if drawn == 2u * params.tickets - 1u {
            atomicStore(&links[params.ticket], 0u);
        }
        atomicStore(&missing, NOTHING);
        ticket = drawn;
    }
    let drawn = workgroupUniformLoad(&ticket);
    let side = u32(drawn >= params.tickets);
    let tile = drawn - side * params.tickets;
    return Turn(select(tile, params.tickets - 1u - tile, REVERSED), side);
}

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

fn tile_slot(side: u32, tile: u32) -> u32 { return params.links + (side * params.slots + tile) * SLOT_WORDS; }

fn prefix_slot(side: u32, block: u32) -> u32 { return tile_slot(side, params.prefixes + block); }

// Clears a tile's slot for the next use, and at a block's first tile its prefix.
fn clear_next(side: u32, tile: u32) {
    clear_words(tile_slot(1u - side, tile));
    if tile % BLOCK == 0u {
        clear_words(prefix_slot(1u - side, tile / BLOCK));
    }
}

fn look_for(slot: u32) -> Seen {
    var seen = seen_words(slot);
    for (var k = 0u; k < LOOKS && !seen.is_there; k += 1u) {
        seen = seen_words(slot);
    }
    return seen;
}

// Sets `before` to the state before `tile`. Returns the first missing tile, `PREFIX` or `NOTHING`.
fn find_before(turn: Turn, tile: u32, at: Place, wg: Workgroup) -> u32 {
    let lid = order_in_group(at, wg);
    let block = tile / BLOCK * BLOCK;
    let since = first_before(tile);
    let first = max(since, block);
    let each = BLOCK / WG;
    // The last invocation has the tiles right before this one.
    let distance = (WG - lid) * each;
    var sum = identity();
    var has_some = false;
    for (var k = 0u; k < each; k += 1u) {
        if distance - k <= tile - first {
            let number = tile - (distance - k);
            let seen = look_for(tile_slot(turn.side, number));
            if !seen.is_there {
                atomicMin(&missing, number);
            }
            let own = from_words(seen.words);
            if has_some {
                sum = combine(sum, own);
            } else {
                sum = own;
            }
            has_some = true;
        }
    }
    // The first row of a window does not continue the last row of the window before.
    let is_open = since < block || (CONTINUES && !ROWS && block == 0u);
    if lid == 0u && is_open {
        let seen = look_for(prefix_slot(turn.side, block / BLOCK));
        if !seen.is_there {
            atomicMin(&missing, PREFIX);
        }
        before = from_words(seen.words);
    }
    let invocations = (tile - first + each - 1u) / each;
    sum = through(sum, max(lid + invocations, WG) - WG, at, wg);
    if lid == WG - 1u {
        if !is_open {
            before = identity();
        }
        if is_open && invocations > 0u {
            before = combine(before, sum);
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

// The place of what lies behind all tiles.
fn end_slot(side: u32) -> u32 { return tile_slot(side, params.slots - 1u); }
