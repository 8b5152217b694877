// Sum of integers in twice their width, which does not wrap (exact_sum.wgsl).
#import exact_sum
#import plain_finish
#import widen
