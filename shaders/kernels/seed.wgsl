// seed: sets the total of an atomic rung to the operator's identity, by an exchange for the same reason as in seal.wgsl.
#import shared/io

@compute @workgroup_size(1)
fn main() { _ = atomicExchange(&output[0], bitcast<Word>(identity())); }
