// The outputs of one round of the plane sweep: UNROLL planes, each separately. This takes 27 reads of the tile
// per output.
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
        output(at, k, low, 2u, p, end);
        output(at, k, low, 3u, p, end);
    }
    if UNROLL > 4u {
        output(at, k, low, 4u, p, end);
        output(at, k, low, 5u, p, end);
        output(at, k, low, 6u, p, end);
        output(at, k, low, 7u, p, end);
    }
}
