// The dispatch delivers results, each of `n` elements.

fn deliver(slot: u32, acc: Acc, n: u32) {
    output[params.store + slot] = finish(acc, n);
}
