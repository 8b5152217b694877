// Cells at fixed sides wait for the next layer in `beside`, which in a star is the layer's own cells. That takes fewer
// selections than in the place of their sums (in_sums.wgsl), and in 3D less time.
#import stencil/exchange/*
#import stencil/layer/*

fn waiting(sum: Layer, beside: Layer) -> Layer { return beside; }
fn sums_at_ends(sum: Layer, own: Layer, ends: Ends) -> Layer { return sum; }
fn sums_at_border(sum: Layer, own: Layer, fixed_cells: FixedCells, keeps: bool) -> Layer { return sum; }
