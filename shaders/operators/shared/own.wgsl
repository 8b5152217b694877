// The accumulator has the element's own type; floats of 16 bits accumulate in 32.

#ifdef half
alias Acc = f32;
#else
alias Acc = Elem;
#endif
