// The best element and its index: the part that arg-min and arg-max share.
//
// `rank_of` returns an element's rank, an integer: a better element has a higher rank, and a NaN has the highest. Among equal ranks the lower
// index wins. So the order of combination does not matter: the result is the first of the best elements, or the first NaN.
//
// The index counts within the input or the segment. Empty input: 0xffffffff.
#import operators/shared/order
#import operators/keys/*
#import operators/best_of_four/*
#import <operator>

struct Acc {
    rank: Key,
    index: u32,
}

// The value is the element's bits; for 16-bit floats those of a 32-bit float.
struct Out {
    value: Key,
    index: u32,
}

fn map(elem: Elem, index: u32) -> Acc { return Acc(rank_of(elem), index); }
fn identity() -> Acc { return Acc(lowest(), 0xffffffffu); }

fn combine(a: Acc, b: Acc) -> Acc {
    let other = is_above(b.rank, a.rank) || (is_same(b.rank, a.rank) && b.index < a.index);
    return Acc(select(a.rank, b.rank, other), select(a.index, b.index, other));
}

fn finish(acc: Acc, n: u32) -> Out { return Out(value_of(acc.rank), acc.index); }
