// Products of pairs, of +0 and -0 where there is no pair.
#import exact/formats/*
#import exact/elements/*

fn numbers(x: Floats, y: Floats, which: Lanes) -> Numbers { return Numbers(x, y); }
