// The steps of a tree over the first WG slots of `tile`, without a loop: one block for every possible step.
//
// `WG`, which is known when the pipeline is created, decides which blocks remain. The total ends in slot 0.
#import operator
#import io
#import kernel

// One step for one slot: adds the slot `s` positions after it.
fn tile_add(slot: u32, s: u32) {
    tile[slot] = combine(tile[slot], tile[slot + s]);
}

fn unrolled_steps(lid: u32) {
    if WG >= 1024u {
        if lid < 512u {
            tile_add(lid, 512u);
        }
        workgroupBarrier();
    }
    if WG >= 512u {
        if lid < 256u {
            tile_add(lid, 256u);
        }
        workgroupBarrier();
    }
    if WG >= 256u {
        if lid < 128u {
            tile_add(lid, 128u);
        }
        workgroupBarrier();
    }
    if WG >= 128u {
        if lid < 64u {
            tile_add(lid, 64u);
        }
        workgroupBarrier();
    }
    if WG >= 64u {
        if lid < 32u {
            tile_add(lid, 32u);
        }
        workgroupBarrier();
    }
    if WG >= 32u {
        if lid < 16u {
            tile_add(lid, 16u);
        }
        workgroupBarrier();
    }
    if WG >= 16u {
        if lid < 8u {
            tile_add(lid, 8u);
        }
        workgroupBarrier();
    }
    if WG >= 8u {
        if lid < 4u {
            tile_add(lid, 4u);
        }
        workgroupBarrier();
    }
    if WG >= 4u {
        if lid < 2u {
            tile_add(lid, 2u);
        }
        workgroupBarrier();
    }
    if WG >= 2u {
        if lid < 1u {
            tile_add(lid, 1u);
        }
        // No barrier is needed: each invocation only reads back its own slot.
    }
}
