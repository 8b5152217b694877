// The steps of a tree over the first WG slots of `tile`, without a loop: a line for every possible step. `WG`, which is known when the pipeline
// is created, decides which steps remain. The total ends in slot 0.
#import <operator>
#import shared/io
#import <kernel>

// One step for one slot: adds the slot `s` positions after it.
fn tile_add(slot: u32, s: u32) { tile[slot] = combine(tile[slot], tile[slot + s]); }

// The step from `2 s` slots to `s`, unless the workgroup is smaller.
fn tile_step(lid: u32, s: u32) {
    if WG >= 2u * s {
        if lid < s {
            tile_add(lid, s);
        }
        workgroupBarrier();
    }
}

fn unrolled_steps(lid: u32) {
    tile_step(lid, 512u);
    tile_step(lid, 256u);
    tile_step(lid, 128u);
    tile_step(lid, 64u);
    tile_step(lid, 32u);
    tile_step(lid, 16u);
    tile_step(lid, 8u);
    tile_step(lid, 4u);
    tile_step(lid, 2u);
    if WG >= 2u {
        if lid < 1u {
            tile_add(lid, 1u);
        }
        // No barrier is needed: each invocation only reads back its own slot.
    }
}
