// The outputs of one round of the plane sweep: UNROLL planes, each separately. This takes 27 reads of the tile per output.
#import stencil/shared/layers
#import stencil/shared/points27
#import stencil/shared/sweep_cells

fn output(at: SweepCell, k: Weights, low: u32, i: u32, p: i32, end: i32) {
    let value = box(k, nine(at, layer_at(low, i)), nine(at, layer_at(low, i + 1u)), nine(at, layer_at(low, i + 2u)));
    store(at, p + i32(i), end, value);
}

fn outputs(at: SweepCell, k: Weights, low: u32, p: i32, end: i32) {
    output(at, k, low, 0u, p, end);
    if UNROLL > 1u {
        output(at, k, low, 1u, p, end);
    }
    if UNROLL > 2u {
        #for i in 2..4: output(at, k, low, $(i)u, p, end);
    }
    if UNROLL > 4u {
        #for i in 4..8: output(at, k, low, $(i)u, p, end);
    }
}
