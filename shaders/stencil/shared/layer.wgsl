// A layer in registers: a lane's part of a row in 2D, of a plane in 3D, and the work on each of its packs alone.
//
// WGSL has arrays, but not every compiler keeps them in registers, and loops, but not every compiler unrolls them. So the text is repeated for
// each pack.
#import stencil/lanes/*
#import stencil/shares/*

// Packs of one row in a lane.
const PACKS: u32 = $(PACKS)u;

struct Layer {
    #for i in 0..ALL: p$i: Pack,
}

fn finish_layer(k: Weights, sum: Layer, behind: Layer) -> Layer {
    return Layer(
        #for i in 0..ALL: finish(k, sum.p$i, behind.p$i),
    );
}

fn choose_layer(one: Layer, other: Layer, takes_other: bool) -> Layer {
    return Layer(
        #for i in 0..ALL: select(one.p$i, other.p$i, takes_other),
    );
}
