// Before and after an atomic rung: the total starts from the operator's identity and ends as its result.

@compute @workgroup_size(1)
fn seed() {
    atomicStore(&total[0], bitcast<Word>(identity()));
}

@compute @workgroup_size(1)
fn seal() {
    let acc = bitcast<Acc>(atomicLoad(&total[0]));
    atomicStore(&total[0], bitcast<Word>(finish(acc, params.count)));
}
