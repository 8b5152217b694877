// The best element and its index: the part that arg-min and arg-max share.
//
// `rank_of` returns an element's rank, an integer: a better element has a higher rank, and a NaN has the highest. Among equal ranks the lower
// index wins. So `combine` is independent of the order in which pairs are combined, and the result is the same on every GPU: the first of the
// best elements, or the first NaN.
//
// The index counts within the input or the segment. Empty input: 0xffffffff.
#import order
#import keys
#import ranked
#import first_best_of_four
#import operator

fn identity() -> Acc {
    return Acc(lowest(), 0xffffffffu);
}

fn combine(a: Acc, b: Acc) -> Acc {
    let other = is_above(b.rank, a.rank) || (is_same(b.rank, a.rank) && b.index < a.index);
    return Acc(select(a.rank, b.rank, other), select(a.index, b.index, other));
}

fn finish(acc: Acc, n: u32) -> Out {
    return Out(value_of(acc.rank), acc.index);
}
