// Dot product: pairs as numbers. Missing pairs are +0 and -0.
#import exact/formats/*
#import exact/elements/*

fn numbers(x: Floats, y: Floats, which: Lanes) -> Numbers { return Numbers(x, y); }
