// The magnitude of an integer, as an unsigned integer of the same width: that of the lowest signed integer does not fit its own type.

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
