// Sum of integers in twice their width, which does not wrap (exact_sum.wgsl).
#import operators/shared/exact_sum
#import operators/shared/plain_finish
#import operators/shared/widen
