// The input, and the combination of its items in rows.
#import io
#import operator

@group(0) @binding(0) var<storage, read> input: array<Elem>;

// Combines one more item with earlier ones of its row.
fn after(before: Acc, own: Acc, begins: bool) -> Acc {
    if ROWS && begins {
        return own;
    }
    return combine(before, own);
}
