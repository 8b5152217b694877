// Arg-min: the least element has the best rank. Flipping all bits of a key reverses the order.
#import operators/shared/first_best
#import operators/shared/order

fn rank_of(elem: Elem) -> Key { return ~to_search_key(elem, lowest()); }
fn value_of(rank: Key) -> Key { return from_key(~rank, lowest()); }
