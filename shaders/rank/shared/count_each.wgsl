// Calls the kernel with the keys of all elements of a dispatch: four at a time, and those that no whole vector has one by one.
//
// A workgroup has elements in a row. If they are in order, it sees few different ones, and not those that the others see at the time.
#import io
#import input
#import input_words
#import keys
#import kernel

fn count_each(group: u32, lid: u32) {
    let row = row_of(0u);
    let own = group * WG + lid;
    if own < singles(row) {
        count(element(single(row, own)));
    }
    let span = ((row.end4 - row.begin4) / (params.groups * WG) + 1u) * WG;
    let end = min(row.begin4 + (group + 1u) * span, row.end4);
    for (var at = row.begin4 + group * span + lid; at < end; at += WG) {
        count4(keys_of_four(vector(at)));
    }
}
