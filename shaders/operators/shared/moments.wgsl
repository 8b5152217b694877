// Squares around the mean: exact for integers of 32 bits, in floats for all other types.
#ifdef bits_64
#import operators/shared/float_moments
#else
#ifdef float
#import operators/shared/float_moments
#else
#import operators/shared/integer_moments
#endif
#endif
