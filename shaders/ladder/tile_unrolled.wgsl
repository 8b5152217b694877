// tile-unrolled: tile-two-loads with every loop written out, in three shapes that differ in two numbers.
//
// An invocation has at most sixteen slots, hence sixteen lines that load. Then follow 8 + 4 + 2 + 1 lines for
// the full steps, and one block for each of the last steps. Conditions on TILE and WG decide at pipeline
// creation which lines exist.
//
//                     WG   tile   lines that load   full steps   last steps   published in the kernels
//     opencl 4        64   1024         16          512 … 64       32 … 1            1.820 ms
//     opencl 5       128   1024          8          512 … 128      64 … 1            1.524 ms
//     opencl 6       128    512          4          256, 128       64 … 1            1.236 ms
//
// What it fixes over tile-two-loads (2.019 ms): loop counters and branches. Since there is no branch between
// the loads, a compiler may also issue many of them before it needs the first value.
//
// The other two steps change no line of the algorithm, only how much of the GPU is in use. For each run on a
// GTX 260 with 27 cores, the document's profiler shows how many invocations a core held, of 1024 possible:
//
//     4:   192    3 workgroups ×  64, as 16 KiB of workgroup memory hold three tiles of 4 KiB
//     5:   384    3 workgroups × 128: twice the invocations on the same three tiles
//     6:   768    6 workgroups × 128, as the tiles have half the size
//
// This is occupancy: while one subgroup waits for memory, another one can run. From 19 % to 75 % occupancy
// the kernel gains a factor of 1.47. At 1.236 ms it reads 134 MB at 108 GB/s. (The document prints 54: it
// counts half of the elements.) The speed-ups over one CPU thread are 19.87, 22.43 and 27.07.
//
// What is still wrong: columns that only one invocation touches are in workgroup memory, and there are
// barriers between steps that need none (see tile-two-loads). Both come from the document, and stay.
// Today: a core that takes 2048 invocations fills up with 16 workgroups of 128, whose tiles take 64 KiB in
// shape 5 and 32 in 6. Many cores have that, so the two should be close. Shape 4 would need 32 workgroups and
// 128 KiB.
#import lib/workgroup/unrolled_steps
#import shared/load
#import shared/store

// Slots in the tile: a power of two, WG … 16 · WG, at most 1024.
override TILE: u32 = 1024u;

var<workgroup> tile: array<Acc, TILE>;

fn two_loads(i: u32) -> Acc { return combine(load_or_identity(i), load_or_identity(i + params.groups * TILE)); }

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let group = group_index(workgroup);
    let i = group * TILE + lid;

    tile[lid] = two_loads(i);
    if TILE >= 2u * WG {
        tile[lid + WG] = two_loads(i + WG);
    }
    if TILE >= 4u * WG {
        tile[lid + 2u * WG] = two_loads(i + 2u * WG);
        tile[lid + 3u * WG] = two_loads(i + 3u * WG);
    }
    if TILE >= 8u * WG {
        tile[lid + 4u * WG] = two_loads(i + 4u * WG);
        tile[lid + 5u * WG] = two_loads(i + 5u * WG);
        tile[lid + 6u * WG] = two_loads(i + 6u * WG);
        tile[lid + 7u * WG] = two_loads(i + 7u * WG);
    }
    if TILE >= 16u * WG {
        tile[lid + 8u * WG] = two_loads(i + 8u * WG);
        tile[lid + 9u * WG] = two_loads(i + 9u * WG);
        tile[lid + 10u * WG] = two_loads(i + 10u * WG);
        tile[lid + 11u * WG] = two_loads(i + 11u * WG);
        tile[lid + 12u * WG] = two_loads(i + 12u * WG);
        tile[lid + 13u * WG] = two_loads(i + 13u * WG);
        tile[lid + 14u * WG] = two_loads(i + 14u * WG);
        tile[lid + 15u * WG] = two_loads(i + 15u * WG);
    }
    // Without a full step, the next step already reads what other invocations wrote.
    if TILE < 2u * WG {
        workgroupBarrier();
    }

    // The full steps: each invocation has work in every line.
    if TILE >= 16u * WG {
        tile_add(lid, 8u * WG);
        tile_add(lid + WG, 8u * WG);
        tile_add(lid + 2u * WG, 8u * WG);
        tile_add(lid + 3u * WG, 8u * WG);
        tile_add(lid + 4u * WG, 8u * WG);
        tile_add(lid + 5u * WG, 8u * WG);
        tile_add(lid + 6u * WG, 8u * WG);
        tile_add(lid + 7u * WG, 8u * WG);
        workgroupBarrier();
    }
    if TILE >= 8u * WG {
        tile_add(lid, 4u * WG);
        tile_add(lid + WG, 4u * WG);
        tile_add(lid + 2u * WG, 4u * WG);
        tile_add(lid + 3u * WG, 4u * WG);
        workgroupBarrier();
    }
    if TILE >= 4u * WG {
        tile_add(lid, 2u * WG);
        tile_add(lid + WG, 2u * WG);
        workgroupBarrier();
    }
    if TILE >= 2u * WG {
        tile_add(lid, WG);
        workgroupBarrier();
    }

    // The last steps: WG values are left (lib/workgroup/unrolled_steps.wgsl).
    unrolled_steps(lid);

    if lid == 0u {
        store(group, tile[0]);
    }
}
