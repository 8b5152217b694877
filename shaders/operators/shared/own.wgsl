// The accumulator of the element's own type. Floats of 16 bits accumulate in 32.
#import <operator>

#ifdef half
alias Acc = f32;
#else
alias Acc = Elem;
#endif
