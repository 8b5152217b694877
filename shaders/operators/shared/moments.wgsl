// Squares around the mean: exact for integers of 32 bits, in floats for all other types.
#ifdef bits_64
#import float_moments
#else
#ifdef float
#import float_moments
#else
#import integer_moments
#endif
#endif
