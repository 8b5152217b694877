// Arg-max: the greatest element has the best rank. A NaN has the highest of all keys.
#import operators/shared/first_best
#import operators/shared/order
#import operators/keys/*

fn rank_of(elem: Elem) -> Key { return to_search_key(elem, highest()); }
fn value_of(rank: Key) -> Key { return from_key(rank, highest()); }
