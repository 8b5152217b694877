// Where a result goes: slot `slot` of the output, finished, of `n` elements; or the accumulator as it is, for the dispatch that follows.
//
// Where one result's elements reach over several bindings (`onto`), each dispatch goes on from what the one before has left.
#import io

#ifdef writes_partials
fn store_result(slot: u32, acc: Acc, n: u32) {
    let place = params.store + slot;
#ifdef onto
    if params.own.onto == 1u {
        output[place] = combine(output[place], acc);
    } else {
        output[place] = acc;
    }
#else
    output[place] = acc;
#endif
}
#else
fn store_result(slot: u32, acc: Acc, n: u32) {
    output[params.store + slot] = finish(acc, n);
}
#endif
