// An integer in twice its width: an integer of 32 bits as two words, one of 64 bits as two halves.

#ifdef bits_64
alias Acc = vec2<Elem>;
#else
alias Acc = vec2<u32>;
#endif

fn widen(elem: Elem) -> Acc {
#ifdef bits_64
    return Acc(elem >> 32u, elem & Elem(0xffffffff));
#else
#ifdef signed
    return Acc(bitcast<u32>(elem), bitcast<u32>(elem >> 31u));
#else
    return Acc(elem, 0u);
#endif
#endif
}
