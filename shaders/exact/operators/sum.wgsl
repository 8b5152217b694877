// The elements themselves.
#import exact/formats/*
#import exact/elements/*

fn numbers(x: Floats, which: Lanes) -> Numbers { return x; }
