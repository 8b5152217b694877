// Stores a result in slot `slot` of the output: finished from `n` elements, or as an accumulator for the next dispatch.
//
// If the elements of one result span several bindings (`onto`), each dispatch combines its accumulator with the previous one's.
#import shared/io

#ifdef writes_partials
fn store_result(slot: u32, acc: Acc, n: u32) {
    let place = params.store + slot;
    var total = acc;
#ifdef onto
    if params.own.onto == 1u {
        total = combine(output[place], acc);
    }
#endif
    output[place] = total;
}
#else
fn store_result(slot: u32, acc: Acc, n: u32) { output[params.store + slot] = finish(acc, n); }
#endif
