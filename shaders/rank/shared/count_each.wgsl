// Calls the kernel with the keys of all elements of a dispatch: four at a time, and those that no whole vector has one by one.
#import io
#import input
#import keys
#import kernel

fn count_each(own: u32) {
    let row = row_of(0u);
    if own < singles(row) {
        count(element(single(row, own)));
    }
    for (var at = row.begin4 + own; at < row.end4; at += params.groups * WG) {
        count4(keys_of_four(vector(at)));
    }
}
