// The dispatch delivers results.

fn deliver(slot: u32, acc: Acc) {
    output[params.store + slot] = finish(acc, params.count);
}
