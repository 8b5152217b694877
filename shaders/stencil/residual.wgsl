// residual: how much a step changed, as the largest change and the sum of all squared changes.
//
// An ordinary reduction by the pieces of the ladder (grid-stride fold, tree in workgroup memory, one partial result
// per workgroup, a second dispatch over these), with two things of its own. `load` reads two inputs and maps
// their difference, here `change`. And an accumulator is two numbers at once, because the inputs are read once
// whichever norm is asked for: reading them is all the time it takes.
//
// Which of the two grids is the newer does not matter: |a - b| and (a - b)² are the same both ways. So one
// prepared reduction serves after odd steps and after even ones.
//
// Four changes are looked at together where rows have a multiple of four cells, as one vector of 16 bytes
// (changes_4.wgsl), else one at a time (changes_1.wgsl). Halves are subtracted and summed as 32-bit floats.
//! use entry, fold, workgroup_tree

fn kernel(at: Place) {
    let sum = workgroup_reduce(fold(at), at);
    if at.lid == 0u {
        store(at.group, sum);
    }
}

fn identity() -> Acc {
    return Acc(Real(0), Real(0));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return Acc(max(a.x, b.x), a.y + b.y);
}

fn finish(acc: Acc, n: u32) -> Acc {
    return acc;
}
