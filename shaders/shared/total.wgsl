// The grand total as one atomic word.
//
// If the hardware has an atomic operation for the operator (atomicAdd, atomicMin, atomicMax), `native_atomic`
// is that one call. Otherwise a loop reads the word, computes its new value, and exchanges it only if it has
// not changed meanwhile; if it has, the loop starts over with the current value. Floats do this with their
// bits.
#import io

#ifdef native_atomic
#import native_atomic

fn add_to_total(acc: Acc) {
    native_atomic(acc);
}
#else
fn add_to_total(acc: Acc) {
    // Reads by an `or` with zero: naga 30's HLSL performs an atomic load only on the lower 32 bits.
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
