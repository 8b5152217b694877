// The dispatch leaves accumulators for the next one.
//
// Where one result's elements reach over several bindings, each dispatch goes on from what the one before has left.

fn deliver(slot: u32, acc: Acc, n: u32) {
    let place = params.store + slot;
    if params.onto == 1u {
        output[place] = combine(output[place], acc);
    } else {
        output[place] = acc;
    }
}
