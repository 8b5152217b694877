// Maximum norm: the largest magnitude. A NaN wins. Of nothing: 0.
//
// Without its sign bit a float's pattern grows with its magnitude, and the NaNs' patterns lie beyond infinity's. So `magnitude`
// clears a bit, `max` of integers does the rest, and only `settle` looks for a NaN, once a result. Magnitudes of integers
// are unsigned: that of the lowest one has no signed counterpart.

#ifdef float
#import order

alias Acc = Key;

fn magnitude(elem: Elem) -> Acc {
    return bits(elem) & highest();
}

fn settle(acc: Acc) -> Acc {
    return select(acc, NOT_A_NUMBER, acc > INFINITY);
}
#else
#import magnitude

alias Acc = Magnitude;

fn settle(acc: Acc) -> Acc {
    return acc;
}
#endif

fn map(elem: Elem, index: u32) -> Acc {
    return magnitude(elem);
}

fn identity() -> Acc {
    return Acc(0);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return max(a, b);
}

fn finish(acc: Acc, n: u32) -> Acc {
    return settle(acc);
}
