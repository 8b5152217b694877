// tile-two-loads: each slot of the tile starts as the sum of two elements; the full steps make no test.
//
// Four remedies against what `tile` does wrong, as the document lists them:
//
//   1. Two loads per slot, added in a register: a tile of 1024 slots serves 2048 elements. The second element
//      is half the input away, at a distance of `groups · TILE` items.
//   2. While a step has at least WG additions, every invocation has work in every block: no `if` there.
//   3. The last six steps, with fewer additions than invocations, are written out, without a loop around them.
//   4. No barrier between filling the tile and the first step, "just a memory fence".
//
// The fourth deserves a closer look. An invocation fills the slots lid, lid + 64, lid + 128 …, and in a full
// step it adds slots whose distance is a multiple of 64: it only accesses slots of its own column.
//
//     column lid:   lid   lid+64   lid+128   lid+192  …  lid+960      one invocation wrote them all
//
// So no invocation waits for another, and in WGSL not even a fence is needed: an invocation sees its own
// writes. By the same argument the barriers between the full steps are superfluous, except the last. And if
// only one invocation touches a column, the column need not be in workgroup memory: a register could hold its
// sum. Without the tile, this kernel would be `grid-stride`. The document does not take that step; the
// barriers stay, to show what it measured.
//
// The document also drops the barriers of the last six steps, because it relies on a warp that runs in
// lockstep. That is a data race in WGSL (see unrolled-last), so the barriers are here.
//
// From opencl version 3 (its task 3): 2.019 ms in the kernels, 18.19 times one CPU thread; version 2 took
// 5.239 ms. A factor of 2.6: twice the elements per tile and per workgroup, and most of the tests gone.
// Today: the second load counts most, since it doubles the bytes in flight; a test in a kernel that waits
// for memory is nearly free.
#import shared/load
#import shared/store

// Slots in the tile: a power of two.
override TILE: u32 = 1024u;

var<workgroup> tile: array<Acc, TILE>;

// One step for one slot: adds the slot `s` positions after it.
fn tile_add(slot: u32, s: u32) {
    tile[slot] = combine(tile[slot], tile[slot + s]);
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let group = group_index(workgroup);
    let half = params.groups * TILE;
    for (var k = lid; k < TILE; k += WG) {
        let i = group * TILE + k;
        tile[k] = combine(load_or_identity(i), load_or_identity(i + half));
    }
    // Without a full step, the next step already reads what other invocations wrote.
    if TILE < 2u * WG {
        workgroupBarrier();
    }

    for (var s = TILE >> 1u; s >= WG; s >>= 1u) {
        for (var k = 0u; k < s; k += WG) {
            tile_add(k + lid, s);
        }
        workgroupBarrier();
    }

    let left = min(TILE, WG);
    for (var s = left >> 1u; s > 32u; s >>= 1u) {
        if lid < s {
            tile_add(lid, s);
        }
        workgroupBarrier();
    }
    if left >= 64u {
        if lid < 32u {
            tile_add(lid, 32u);
        }
        workgroupBarrier();
    }
    if left >= 32u {
        if lid < 16u {
            tile_add(lid, 16u);
        }
        workgroupBarrier();
    }
    if left >= 16u {
        if lid < 8u {
            tile_add(lid, 8u);
        }
        workgroupBarrier();
    }
    if left >= 8u {
        if lid < 4u {
            tile_add(lid, 4u);
        }
        workgroupBarrier();
    }
    if left >= 4u {
        if lid < 2u {
            tile_add(lid, 2u);
        }
        workgroupBarrier();
    }
    if left >= 2u && lid == 0u {
        tile_add(lid, 1u);
    }

    if lid == 0u {
        store(group, tile[0]);
    }
}
