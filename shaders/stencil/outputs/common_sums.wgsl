// Computes UNROLL planes of output per round of the plane sweep. Common subexpressions are shared: each layer of the tile is read and summed once per
// round, and its three sums serve up to three output planes. That is 9 · (UNROLL + 2) / UNROLL reads per output.
#import stencil/shared/layers
#import stencil/shared/points27
#import stencil/shared/sweep_cells

fn layer_sums(at: SweepCell, low: u32, i: u32) -> Sums { return sums_of(nine(at, layer_at(low, i))); }

fn outputs(at: SweepCell, k: Weights, low: u32, p: i32, end: i32) {
    #for i in 0..3: let s$i = layer_sums(at, low, $(i)u);
    store(at, p, end, box_of_sums(k, s0, s1, s2));
    if UNROLL > 1u {
        let s3 = layer_sums(at, low, 3u);
        store(at, p + 1, end, box_of_sums(k, s1, s2, s3));
        if UNROLL > 2u {
            #for i in 4..6: let s$i = layer_sums(at, low, $(i)u);
            #for i in 2..4: store(at, p + $i, end, box_of_sums(k, s$i, s$(i + 1), s$(i + 2)));
            if UNROLL > 4u {
                #for i in 6..10: let s$i = layer_sums(at, low, $(i)u);
                #for i in 4..8: store(at, p + $i, end, box_of_sums(k, s$i, s$(i + 1), s$(i + 2)));
            }
        }
    }
}
