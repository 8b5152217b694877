// Two keys of one number each, and the greater ones of two pairs.
#import operators/keys/*

alias Acc = vec2<Key>;

fn combine(a: Acc, b: Acc) -> Acc { return max(a, b); }
