// Places of runs in a long input: behind those of all earlier tiles, whose numbers come by the chain. A tile of few runs leaves them in its room.
#import by_key/shared/io
#import lib/grid/chain
#import lib/grid/entry
#import lib/grid/links
#import lib/grid/slots
#import lib/workgroup/order
#import lib/workgroup/through/*
#import by_key/shared/run
#import by_key/shared/run_outputs
#import by_key/shared/run_tile
#import by_key/shared/run_walk

// The runs that begin in the tile, while they are counted.
var<workgroup> number: atomic<u32>;
var<workgroup> ticket: u32;

// Takes the next tile. Mesa starts workgroups in the middle of all, too: in the order of their numbers these would count all runs before them.
fn begin_tile(index: u32, lid: u32) -> u32 {
    if lid == 0u {
        ticket = atomicAdd(&links[TICKET], 1u);
        atomicStore(&number, 0u);
        atomicStore(&missing, NOTHING);
    }
    let drawn = workgroupUniformLoad(&ticket);
    return select(drawn, params.tiles - 1u - drawn, REVERSED);
}

// Counts and publishes the runs that begin in a tile.
fn publish(tile: u32, starts: u32, lid: u32) {
    atomicAdd(&number, countOneBits(starts));
#ifdef tested
    if lid == 0u {
        stall(tile);
    }
#endif
    workgroupBarrier();
    if lid == 0u {
        put_words(tile_slot(0u, tile), to_words(atomicLoad(&number)));
    }
}

fn has_room(runs: u32) -> bool { return runs <= params.room; }

// True if a tile is the last of a block, and there is another block.
fn ends_block(tile: u32) -> bool { return (tile + 1u) % BLOCK == 0u && tile + 1u < params.tiles; }

// True if a tile needs the number of runs before it: to store its runs, or to publish the prefix of the next block.
fn needs_place(tile: u32, runs: u32) -> bool { return !has_room(runs) || ends_block(tile); }

fn put_in_room(tile: u32, runs: u32, lid: u32) {
    for (var nth = lid; nth < runs; nth += WG) {
        atomicStore(&links[room_in_links(tile) + nth], staged_starts[nth]);
        ends[room_in_ends(tile) + nth] = staged_accs[nth];
    }
}

// The number of runs that begin before a tile. At the end of a block it is published for the next one.
fn place_of(tile: u32, runs: u32, at: Place, wg: Workgroup) -> u32 {
    let lid = order_in_group(at, wg);
    var work = tile;
    var starts = runs;
    loop {
        let missed = find_before(0u, work, 0u, at, wg);
        if missed == NOTHING {
            if lid == WG - 1u && ends_block(work) {
                put_words(prefix_slot(0u, (work + 1u) / BLOCK), to_words(before + starts));
            }
            if work == tile {
                break;
            }
        }
        // Tiles whose numbers or prefixes are missing come in between.
        work = tile_for(missed, work, tile);
        starts = through(count_starts((work * WG + lid) * ITEMS), WG, at, wg);
        if lid == WG - 1u {
            put_words(tile_slot(0u, work), to_words(starts));
        }
#ifdef tested
        if work != tile && lid == 0u {
            count_computed(missed);
        }
#endif
    }
    return before;
}
