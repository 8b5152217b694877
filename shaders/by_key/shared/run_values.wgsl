// The values of sixteen pairs, as they are loaded.
#import operator

#ifdef vectors
alias FourValues = vec4<Elem>;
#else
struct FourValues {
    x: Elem,
    y: Elem,
    z: Elem,
    w: Elem,
}
#endif

struct Values {
    a: FourValues,
    b: FourValues,
    c: FourValues,
    d: FourValues,
}
