// The best element and where it is: the part that arg-min and arg-max share.
//
// `rank_of` gives an element a rank, an integer that is the larger the better the element is; a NaN has the highest of all.
// Of equal ranks the lower index wins. That makes `combine` independent of the order in which pairs meet, so
// the answer is the same on every GPU: the first of the best elements, or the first NaN.
//
// The index is counted within the input, or within the segment. Nothing at all has no index: 0xffffffff.
#import order

struct Acc {
    rank: Key,
    index: u32,
}

// The value as the element's bits; 16-bit floats as those of a 32-bit one.
struct Out {
    value: Key,
    index: u32,
}

fn map(elem: Elem, index: u32) -> Acc {
    return Acc(rank_of(elem), index);
}

// Four elements: their best rank first, then the first one that has it. Cheaper than three comparisons of pairs.
fn map4(v: vec4<Elem>, index: u32) -> Acc {
    let x = rank_of(v.x);
    let y = rank_of(v.y);
    let z = rank_of(v.z);
    let best = max(max(x, y), max(z, rank_of(v.w)));
    let place = select(select(select(3u, 2u, z == best), 1u, y == best), 0u, x == best);
    return Acc(best, index + place);
}

fn identity() -> Acc {
    return Acc(lowest(), 0xffffffffu);
}

fn combine(a: Acc, b: Acc) -> Acc {
    let other = b.rank > a.rank || (b.rank == a.rank && b.index < a.index);
    return Acc(select(a.rank, b.rank, other), select(a.index, b.index, other));
}

fn finish(acc: Acc, n: u32) -> Out {
    return Out(value_of(acc.rank), acc.index);
}
