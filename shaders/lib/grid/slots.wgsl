// The slots of a chain among its links, in words: of tiles, of the prefixes of blocks, and of what lies behind all.
#import <io>
#import <words>

// Words of a slot: whole sectors of the cache. Where slots share one, polls of a slot delay stores to another: without
// padding, to select half of the elements takes 1.07 times as long on an NVIDIA H200.
const SLOT_WORDS: u32 = (2u * ACC_WORDS + 7u) / 8u * 8u;

fn tile_slot(side: u32, tile: u32) -> u32 { return params.links + (side * params.slots + tile) * SLOT_WORDS; }
fn prefix_slot(side: u32, block: u32) -> u32 { return tile_slot(side, params.prefixes + block); }

// The place of what lies behind all tiles.
fn end_slot(side: u32) -> u32 { return tile_slot(side, params.slots - 1u); }
