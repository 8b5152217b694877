// The dispatch leaves accumulators for the next one.

fn deliver(slot: u32, acc: Acc) {
    output[params.store + slot] = acc;
}
