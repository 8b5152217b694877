// The grand total as one atomic word, for operators that have no atomic operation of the hardware. (For the others `add_to_total` is that
// operation.) A loop computes the word's new value, and exchanges it only if the word has not changed meanwhile. Floats do this with their bits.
#import shared/io

fn add_to_total(acc: Acc) {
    // Reads by an `or` with zero: naga 30's HLSL performs an atomic load only on the lower 32 bits.
    var seen = atomicOr(&output[0], Word(0));
    loop {
        let desired = bitcast<Word>(combine(bitcast<Acc>(seen), acc));
        let tried = atomicCompareExchangeWeak(&output[0], seen, desired);
        if tried.exchanged {
            break;
        }
        seen = tried.old_value;
    }
}
