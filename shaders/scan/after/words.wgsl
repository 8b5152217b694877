// The combination of items in rows, for accumulators of one or two words. It has no branch: an invocation combines 56 times in a row, and some
// compilers take minutes for as many branches.
#import scan/shared/io
#import <operator>
#import <words>

// Combines one more item with earlier ones of its row.
fn after(before: Acc, own: Acc, is_row_start: bool) -> Acc {
    return from_words(select(to_words(combine(before, own)), to_words(own), ROWS && is_row_start));
}
