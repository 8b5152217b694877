// The same as expression.wgsl, with one copy of the operator's `combine` in a loop instead of three copies.
//
// SwiftShader inlines all calls, and follows every value back through the branches of all earlier copies. With three copies of a `combine` that
// branches it does not come to an end; it stops at a loop.
#import <operator>

fn combine_four(a: Acc, b: Acc, c: Acc, d: Acc) -> Acc {
    var kept = a;
    var low = a;
    var high = b;
    for (var step = 0u; step < 3u; step++) {
        let both = combine(low, high);
        if step == 0u {
            kept = both;
            low = c;
            high = d;
        } else {
            low = kept;
            high = both;
        }
    }
    return high;
}
