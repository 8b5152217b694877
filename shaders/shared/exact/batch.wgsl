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
    #for p in a b c d: let $p = shares(batch.$p, window, inside(batch.$p, window));
    return joined(joined(joined(a, b), c), d);
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

// The same, but a special exponent for zeros.
fn not_zero(x: Numbers) -> Lanes { return select(finite(x), Lanes(SPECIAL), magnitudes(x) == Lanes(0u)); }

// The window of all numbers but zeros; 0 if none holds all of them.
fn window_of(batch: Batch) -> u32 {
    let top = largest(max(max(finite(batch.a), finite(batch.b)), max(finite(batch.c), finite(batch.d))));
    let chosen = window_below(top);
    // A branch: the largest and the smallest at once would take more registers.
    if top == 0u || top >= chosen + SPAN {
        return 0u;
    }
    let bottom = ~largest(~min(min(not_zero(batch.a), not_zero(batch.b)), min(not_zero(batch.c), not_zero(batch.d))));
    return select(0u, chosen, bottom >= chosen);
}
