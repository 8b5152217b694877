// seed: the total of an atomic rung starts from the operator's identity.
//
// Written by an exchange: of atomic stores naga 30's HLSL carries out the lower 32 bits only, and the word may have 64.
#import io

@compute @workgroup_size(1)
fn main() {
    _ = atomicExchange(&output[0], bitcast<Word>(identity()));
}
