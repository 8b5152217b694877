// residual: the change made by a step, as the largest change and the sum of all squared changes.
//
// A custom operator for the library's own reduction, of two inputs: the grid before a step and the grid after it. An accumulator holds both
// numbers, because reading the grids takes nearly all of the time. |a - b| and (a - b)² are symmetric, so one prepared reduction serves
// after odd steps and after even ones. 16-bit floats are subtracted and summed as 32-bit floats, `Real`.

alias Acc = vec2<Real>;

fn map(first: Elem, second: Elem, index: u32) -> Acc {
    let change = abs(Real(first) - Real(second));
    return Acc(change, change * change);
}

fn identity() -> Acc { return Acc(Real(0), Real(0)); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(max(a.x, b.x), a.y + b.y); }
fn finish(acc: Acc, n: u32) -> Acc { return acc; }
