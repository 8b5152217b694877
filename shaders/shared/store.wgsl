// Stores the result of a rung's workgroup. A grid folded into rows may have a few surplus workgroups, which store nothing.
#import shared/store_result

fn store(group: u32, acc: Acc) {
    if group < params.groups {
        store_result(group, acc, params.count);
    }
}
