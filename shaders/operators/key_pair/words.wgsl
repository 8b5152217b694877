// Two keys in words, and the greater ones of two pairs.
#import operators/keys/*

struct Acc {
    x: Key,
    y: Key,
}

fn combine(a: Acc, b: Acc) -> Acc { return Acc(greater(a.x, b.x), greater(a.y, b.y)); }
