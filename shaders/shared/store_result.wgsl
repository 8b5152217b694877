// Stores a result to slot `slot` of the output: the finished result of `n` elements, or the unchanged
// accumulator for the next dispatch.
//
// If the elements of one result span several bindings (`onto`), each dispatch combines its accumulator with
// that of the previous dispatch.
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
