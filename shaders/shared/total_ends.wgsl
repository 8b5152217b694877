// Before and after an atomic rung: the total starts from the operator's identity and ends as its result.
//
// Written and read by exchanges: of atomic stores and loads naga 30's HLSL carries out the lower 32 bits only,
// and the word may have 64.

@compute @workgroup_size(1)
fn seed() {
    _ = atomicExchange(&total[0], bitcast<Word>(identity()));
}

@compute @workgroup_size(1)
fn seal() {
    let acc = bitcast<Acc>(atomicExchange(&total[0], Word(0)));
    _ = atomicExchange(&total[0], bitcast<Word>(finish(acc, params.count)));
}
