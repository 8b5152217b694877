// Computes UNROLL planes of output per round of the plane sweep. Common subexpressions are shared: each layer of the tile is read and
// summed once per round, and its three sums serve up to three output planes. That is 9 · (UNROLL + 2) / UNROLL reads per
// output.
#import stencil/shared/layers
#import stencil/shared/points27
#import stencil/shared/sweep_cells

fn layer_sums(at: SweepCell, low: u32, i: u32) -> Sums { return sums_of(nine(at, layer_at(low, i))); }

fn outputs(at: SweepCell, k: Weights, low: u32, p: i32, end: i32) {
    let s0 = layer_sums(at, low, 0u);
    let s1 = layer_sums(at, low, 1u);
    let s2 = layer_sums(at, low, 2u);
    store(at, p, end, box_of_sums(k, s0, s1, s2));
    if UNROLL > 1u {
        let s3 = layer_sums(at, low, 3u);
        store(at, p + 1, end, box_of_sums(k, s1, s2, s3));
        if UNROLL > 2u {
            let s4 = layer_sums(at, low, 4u);
            let s5 = layer_sums(at, low, 5u);
            store(at, p + 2, end, box_of_sums(k, s2, s3, s4));
            store(at, p + 3, end, box_of_sums(k, s3, s4, s5));
            if UNROLL > 4u {
                let s6 = layer_sums(at, low, 6u);
                let s7 = layer_sums(at, low, 7u);
                let s8 = layer_sums(at, low, 8u);
                let s9 = layer_sums(at, low, 9u);
                store(at, p + 4, end, box_of_sums(k, s4, s5, s6));
                store(at, p + 5, end, box_of_sums(k, s5, s6, s7));
                store(at, p + 6, end, box_of_sums(k, s6, s7, s8));
                store(at, p + 7, end, box_of_sums(k, s7, s8, s9));
            }
        }
    }
}
