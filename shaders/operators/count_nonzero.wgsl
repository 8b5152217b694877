// The number of nonzero elements. It is exact, because no input has more elements than a u32 can count.
#import operators/shared/added
#import operators/shared/flags
