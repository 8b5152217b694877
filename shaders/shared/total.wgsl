// The grand total as one atomic word.
//
// Where the hardware has an atomic for the operator (atomicAdd, atomicMin, atomicMax), `native_atomic` is that one call. Elsewhere:
// read the word, compute what it should become, and exchange it only if nobody changed it meanwhile; else start over
// from what is there now. Floats take this road through their bits.
#import io

#ifdef native_atomic
#import native_atomic

fn add_to_total(acc: Acc) {
    native_atomic(acc);
}
#else
fn add_to_total(acc: Acc) {
    // Reads by changing nothing: of an atomic load naga 30's HLSL carries out the lower 32 bits only.
    var seen = atomicOr(&output[0], Word(0));
    loop {
        let wanted = bitcast<Word>(combine(bitcast<Acc>(seen), acc));
        let tried = atomicCompareExchangeWeak(&output[0], seen, wanted);
        if tried.exchanged {
            break;
        }
        seen = tried.old_value;
    }
}
#endif
