// The combination of items in rows, for accumulators of many words.
#import scan/shared/io
#import <operator>

// Combines one more item with earlier ones of its row.
fn after(before: Acc, own: Acc, begins: bool) -> Acc {
    if ROWS && begins {
        return own;
    }
    return combine(before, own);
}
