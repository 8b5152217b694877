// One window, which moves, and no batch that goes to bins as a whole.
#import operator
#import exact/batch
#import exact/moving

fn second_takes(batch: Batch, window: u32) -> bool {
    return false;
}

fn choose_window(acc: Acc, batch: Batch) -> Acc {
    return moved(acc, batch);
}

fn finished(acc: Acc, window: u32) -> Acc {
    return returned(acc, window);
}

fn takes_batch(tag: u32) -> bool {
    return false;
}

fn add_batch_far(batch: Batch) -> u32 {
    return 0u;
}
