// Sum of integers in twice their width, which does not wrap (exact_sum.wgsl).
#import exact_sum
#import widen

fn finish(acc: Acc, n: u32) -> Acc {
    return acc;
}
