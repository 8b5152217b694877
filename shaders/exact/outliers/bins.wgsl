// Numbers of one word outside of the window: one window, which moves, and bins for what is far from it. Workgroups that take few registers
// do without a second window.
#import operator
#import format
#import exact/batch
#import exact/bins
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

fn add_far(x: Numbers) -> u32 {
    return add_alone(x.x);
}
