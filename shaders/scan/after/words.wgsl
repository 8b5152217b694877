// The combination of items in rows, without a branch, for accumulators of one or two words. A tile has 56 of them in a row: some compilers take
// minutes for as many branches.
#import io
#import operator
#import words

// Combines one more item with earlier ones of its row.
fn after(before: Acc, own: Acc, begins: bool) -> Acc {
    return from_words(select(to_words(combine(before, own)), to_words(own), ROWS && begins));
}
