// seed: sets the total of an atomic rung to the operator's identity.
//
// It writes by an exchange: naga 30's HLSL performs atomic stores only on the lower 32 bits, and the word may
// have 64.
#import io

@compute @workgroup_size(1)
fn main() {
    _ = atomicExchange(&output[0], bitcast<Word>(identity()));
}
