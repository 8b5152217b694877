// New cells with the right-hand side, if there is one.
#import stencil/lanes/*

fn with_added(sum: Pack, added: Pack) -> Pack {
#ifdef rhs
    return sum + added;
#else
    return sum;
#endif
}
