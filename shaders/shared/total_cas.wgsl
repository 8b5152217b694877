// The grand total as one atomic word, for an operator the hardware has no atomic for.
//
// Read the word, compute what it should become, and exchange it only if nobody changed it meanwhile; else
// start over from what is there now. Floats take this road through their bits.

@group(0) @binding(4) var<storage, read_write> total: array<atomic<Word>>;

fn add_to_total(acc: Acc) {
    // Reads by changing nothing: of an atomic load naga 30's HLSL carries out the lower 32 bits only.
    var seen = atomicOr(&total[0], Word(0));
    loop {
        let wanted = bitcast<Word>(combine(bitcast<Acc>(seen), acc));
        let tried = atomicCompareExchangeWeak(&total[0], seen, wanted);
        if tried.exchanged {
            break;
        }
        seen = tried.old_value;
    }
}
