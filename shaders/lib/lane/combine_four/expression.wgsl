// Four accumulators become one: the first two and the last two, then both.
#import <operator>

fn combine_four(a: Acc, b: Acc, c: Acc, d: Acc) -> Acc { return combine(combine(a, b), combine(c, d)); }
