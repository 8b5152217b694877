// A batch: the numbers that an invocation adds to its window at once.
#import operator
#import format

struct Batch {
    a: Numbers,
    b: Numbers,
    c: Numbers,
    d: Numbers,
}

// Not zero where a number is neither in the window nor zero.
fn outside(x: Numbers, window: u32) -> Lanes {
    return magnitudes(x) & ~inside(x, window);
}

fn any_outside(batch: Batch, window: u32) -> bool {
    let ab = outside(batch.a, window) | outside(batch.b, window);
    return largest(ab | outside(batch.c, window) | outside(batch.d, window)) != 0u;
}

// The flag of numbers of which not all are -0.
fn others(batch: Batch) -> u32 {
    let ab = other(batch.a) | other(batch.b);
    return select(0u, OTHERS, largest(ab | other(batch.c) | other(batch.d)) != 0u);
}

// The sums of all numbers, each in the window.
fn sums_of(batch: Batch, window: u32) -> Shares {
    let all = Lanes(0xffffffffu);
    let ab = both(shares(batch.a, window, all), shares(batch.b, window, all));
    return both(both(ab, shares(batch.c, window, all)), shares(batch.d, window, all));
}

// The sums of those in the window.
fn sums_inside(batch: Batch, window: u32) -> Shares {
    let a = shares(batch.a, window, inside(batch.a, window));
    let b = shares(batch.b, window, inside(batch.b, window));
    let c = shares(batch.c, window, inside(batch.c, window));
    return both(both(both(a, b), c), shares(batch.d, window, inside(batch.d, window)));
}

// An accumulator with the sums of a batch.
fn settled(acc: Acc, sums: Shares, flags: u32) -> Acc {
    let sum = Acc(acc.sum + settle(sums), acc.tag | flags);
    if UNDER >= DIGIT {
        return carried_from_second(sum);
    }
    return carried(sum);
}

// The exponents of numbers that are not zero and outside of the window, or of all that are not zero; `instead` for others; and 0 for
// infinities and NaNs, which no window holds.
fn beyond(x: Numbers, window: u32, of_all: bool, instead: u32) -> Lanes {
    let field = exponents(x);
    let finite = select(field, Lanes(0u), field == Lanes(SPECIAL));
    return select(Lanes(instead), finite, select(outside(x, window), magnitudes(x), of_all) != Lanes(0u));
}

fn largest_beyond(batch: Batch, window: u32, of_all: bool) -> u32 {
    let ab = max(beyond(batch.a, window, of_all, 0u), beyond(batch.b, window, of_all, 0u));
    return largest(max(ab, max(beyond(batch.c, window, of_all, 0u), beyond(batch.d, window, of_all, 0u))));
}

fn smallest_beyond(batch: Batch, window: u32, of_all: bool) -> u32 {
    let far = SPECIAL;
    let ab = min(beyond(batch.a, window, of_all, far), beyond(batch.b, window, of_all, far));
    return ~largest(~min(ab, min(beyond(batch.c, window, of_all, far), beyond(batch.d, window, of_all, far))));
}

// The window of all numbers, or of all that lie outside of this one; 0 if none holds them.
fn other_window(batch: Batch, window: u32, of_all: bool) -> u32 {
    let top = largest_beyond(batch, window, of_all);
    let chosen = window_below(top);
    let holds = top < chosen + SPAN && smallest_beyond(batch, window, of_all) >= chosen;
    return select(0u, chosen, top > 0u && holds);
}
