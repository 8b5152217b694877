// Squares around the mean: of integers of 32 bits exactly, of all else in floats.
#ifdef float
#import float_moments
#else
#ifdef bits_64
#import float_moments
#else
#import integer_moments
#endif
#endif
