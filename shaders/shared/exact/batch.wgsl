// A batch: the numbers that an invocation adds to its window at once.
#import <operator>
#import exact/formats/*

struct Batch {
    #for p in a b c d: $p: Numbers,
}

// Not zero where a number is neither in the window nor zero.
fn outside(x: Numbers, window: u32) -> Lanes { return magnitudes(x) & ~inside(x, window); }

fn any_outside(batch: Batch, window: u32) -> bool {
    let ab = outside(batch.a, window) | outside(batch.b, window);
    return largest(ab | outside(batch.c, window) | outside(batch.d, window)) != 0u;
}

// The flag of numbers of which not all are -0.
fn flags_of(batch: Batch) -> u32 {
    let ab = not_minus_zero(batch.a) | not_minus_zero(batch.b);
    return select(0u, OTHERS, largest(ab | not_minus_zero(batch.c) | not_minus_zero(batch.d)) != 0u);
}

// The sums of all numbers, each in the window.
fn sums_of(batch: Batch, window: u32) -> Shares {
    let all = Lanes(0xffffffffu);
    let ab = joined(shares(batch.a, window, all), shares(batch.b, window, all));
    return joined(joined(ab, shares(batch.c, window, all)), shares(batch.d, window, all));
}

fn sums_inside(batch: Batch, window: u32) -> Shares {
    let a = shares(batch.a, window, inside(batch.a, window));
    let b = shares(batch.b, window, inside(batch.b, window));
    let c = shares(batch.c, window, inside(batch.c, window));
    return joined(joined(joined(a, b), c), shares(batch.d, window, inside(batch.d, window)));
}

// An accumulator with the sums of a batch.
fn settled(acc: Acc, sums: Shares, flags: u32) -> Acc {
    let sum = Acc(acc.sum + settle(sums), acc.tag | flags);
    if UNDER >= DIGIT {
        return carried_from_second(sum);
    }
    return carried(sum);
}

// The exponents of numbers, but 0 for infinities and NaNs, which no window holds.
fn finite(x: Numbers) -> Lanes {
    let field = exponents(x);
    return select(field, Lanes(0u), field == Lanes(SPECIAL));
}

// The same, but `instead` for zeros and for those that are among `span` exponents from `window` up.
fn beyond(x: Numbers, window: u32, span: u32, instead: u32) -> Lanes {
    let is_inside = (exponents(x) - Lanes(window)) < Lanes(span);
    return select(finite(x), Lanes(instead), is_inside | (magnitudes(x) == Lanes(0u)));
}

// The window of all numbers that are not among `span` exponents from `window` up; 0 if none holds all of them.
fn other_window(batch: Batch, window: u32, span: u32) -> u32 {
    let ab = max(beyond(batch.a, window, span, 0u), beyond(batch.b, window, span, 0u));
    let top = largest(max(ab, max(beyond(batch.c, window, span, 0u), beyond(batch.d, window, span, 0u))));
    let chosen = window_below(top);
    // A branch: the largest and the smallest at once would take more registers.
    if top == 0u || top >= chosen + SPAN {
        return 0u;
    }
    let far = SPECIAL;
    let ab_low = min(beyond(batch.a, window, span, far), beyond(batch.b, window, span, far));
    let bottom = ~largest(~min(ab_low, min(beyond(batch.c, window, span, far), beyond(batch.d, window, span, far))));
    return select(0u, chosen, bottom >= chosen);
}
