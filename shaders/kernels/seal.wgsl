// seal: the total of an atomic rung becomes its result.
//
// Read and written by exchanges: of atomic loads and stores naga 30's HLSL carries out the lower 32 bits only, and the word may
// have 64.
#import io

@compute @workgroup_size(1)
fn main() {
    let acc = bitcast<Acc>(atomicExchange(&output[0], Word(0)));
    _ = atomicExchange(&output[0], bitcast<Word>(finish(acc, params.count)));
}
