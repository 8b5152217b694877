// The magnitude of an integer, in an unsigned one of its width: `abs` of the lowest signed one has no result of its own type.

#ifdef bits_64
alias Magnitude = u64;
#else
alias Magnitude = u32;
#endif

fn magnitude(elem: Elem) -> Magnitude {
#ifdef signed
    let bits = bitcast<Magnitude>(elem);
    return select(bits, Magnitude(0) - bits, elem < Elem(0));
#else
    return elem;
#endif
}
