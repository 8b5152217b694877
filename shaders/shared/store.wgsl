// Where a rung puts a workgroup's result. A grid folded into rows may have a few workgroups too many: theirs goes nowhere.
#import store_result

fn store(group: u32, acc: Acc) {
    if group < params.groups {
        store_result(group, acc, params.count);
    }
}
