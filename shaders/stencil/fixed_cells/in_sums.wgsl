// Cells at fixed sides wait for the next layer in the place of their sums.
//
// In a star they could wait in `beside` (in_beside.wgsl), which takes fewer selections. But in 2D NVIDIA's compiler takes 175 registers for that
// instead of 167: two workgroups fit a core instead of three, and 5 points are slower by a third.
#import stencil/exchange/*
#import stencil/layer/*

fn waiting(sum: Layer, beside: Layer) -> Layer { return sum; }
fn sums_at_ends(sum: Layer, own: Layer, ends: Ends) -> Layer { return keep_ends(sum, own, ends); }
fn sums_at_border(sum: Layer, own: Layer, fixed_cells: FixedCells, keeps: bool) -> Layer { return keep_layer(sum, own, fixed_cells, keeps); }
