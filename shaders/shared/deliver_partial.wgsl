// The dispatch leaves accumulators for the next one.

fn deliver(slot: u32, acc: Acc, n: u32) {
    output[params.store + slot] = acc;
}
