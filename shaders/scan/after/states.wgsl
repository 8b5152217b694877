// The combination of items in rows, for accumulators of many words.
#import scan/shared/io
#import <operator>

// Combines one more item with earlier ones of its row.
fn after(before: Acc, own: Acc, is_row_start: bool) -> Acc {
    if ROWS && is_row_start {
        return own;
    }
    return combine(before, own);
}
