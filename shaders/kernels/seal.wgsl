// seal: converts the total of an atomic rung to its result.
//
// It exchanges the word: naga 30's HLSL performs atomic loads and stores only on the lower 32 bits, and the word may have 64.
#import shared/io

@compute @workgroup_size(1)
fn main() {
    let acc = bitcast<Acc>(atomicExchange(&output[0], Word(0)));
    _ = atomicExchange(&output[0], bitcast<Word>(finish(acc, params.count)));
}
