// States, each combined with those before it, in their places.
#import io
#import items

fn store(i: u32, value: Acc) {
    if i < params.len {
        states[params.store + i] = value;
    }
}

fn put(items: Items, before: Acc, i: u32) {
    let four = four_of(items, i);
    let a = after(before, four.a, four.begins.x);
    let b = after(a, four.b, four.begins.y);
    let c = after(b, four.c, four.begins.z);
    store(i, a);
    store(i + 1u, b);
    store(i + 2u, c);
    store(i + 3u, after(c, four.d, four.begins.w));
}
