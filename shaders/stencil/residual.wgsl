// residual: how much a step changed, as the largest change and the sum of all squared changes.
//
// An operator of two inputs, the grid before a step and after it, for the library's own reduction: what an application
// would write. An accumulator is two numbers at once, because the grids are read once whichever norm is asked for:
// reading them is all the time it takes. Which of the two is the newer does not matter: |a - b| and (a - b)² are the
// same both ways. So one prepared reduction serves after odd steps and after even ones.
//
// Halves are subtracted and summed as 32-bit floats, `Real`.

alias Acc = vec2<Real>;

fn map(first: Elem, second: Elem, index: u32) -> Acc {
    let change = abs(Real(first) - Real(second));
    return Acc(change, change * change);
}

fn map4(first: vec4<Elem>, second: vec4<Elem>, index: u32) -> Acc {
    let change = abs(vec4<Real>(first) - vec4<Real>(second));
    let squares = change * change;
    return Acc(
        max(max(change.x, change.y), max(change.z, change.w)),
        (squares.x + squares.y) + (squares.z + squares.w),
    );
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
