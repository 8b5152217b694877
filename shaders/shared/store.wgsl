// Where a rung puts a workgroup's result: finished if no dispatch follows, else as it is.

fn store(group: u32, acc: Acc) {
    if group >= params.groups {
        return;
    }
    if params.last == 1u {
        output[params.store + group] = finish(acc, params.count);
    } else {
        output[params.store + group] = acc;
    }
}
