// The sweep through the planes, with a tile in workgroup memory, UNROLL planes at a time.
//
// The tile has UNROLL + 2 layers, each one plane of the block with its halo. One round computes UNROLL planes from these, one more below and
// one more above. The two uppermost planes are the next round's lowest, so they stay, and UNROLL new planes are loaded over the others.
// The layers form a ring, which begins at `low`.
//
//     UNROLL = 2     layer 0   layer 1   layer 2   layer 3
//     first round      p - 1       p       p + 1     p + 2       computes p and p + 1
//     next round       p + 3     p + 4     p + 1     p + 2       computes p + 2 and p + 3
//
// Two barriers per round separate the writing and reading of a layer. The code is written out for the largest UNROLL; the pipeline compiler
// removes the rest. A last round may have fewer planes than UNROLL: the layers of the missing planes are loaded, and not used.
#import stencil/shared/layers
#import stencil/outputs/*
#import stencil/tile3d/*
#import <kernel>
#import stencil/shared/blocks3d
#import stencil/shared/weights3d

@compute @workgroup_size(COLS, ROWS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    let block = block_of(workgroup);
    let at = sweep_cell(block, i32(local.y), i32(local.x), lid);
    let k = weights();
    var low = 0u;
    stage(at, block.begin - 1, 0u);
    stage(at, block.begin, 1u);
    for (var p = block.begin; p < block.end; p += i32(UNROLL)) {
        stage(at, p + 1, layer_at(low, 2u));
        if UNROLL > 1u {
            stage(at, p + 2, layer_at(low, 3u));
        }
        if UNROLL > 2u {
            #for i in 3..5: stage(at, p + $i, layer_at(low, $(i + 1)u));
        }
        if UNROLL > 4u {
            #for i in 5..9: stage(at, p + $i, layer_at(low, $(i + 1)u));
        }
        workgroupBarrier();
        if at.works {
            outputs(at, k, low, p, block.end);
        }
        workgroupBarrier();
        low = layer_at(low, UNROLL);
    }
}
