// The grand total as one atomic word, for operators that have no atomic operation of the hardware. (For the others
// `add_to_total` is that operation.)
//
// A loop reads the word, computes its new value, and exchanges it only if it has not changed meanwhile; if it has,
// the loop starts over with the current value. Floats do this with their bits.
#import io

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
