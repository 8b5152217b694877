// Product of 32-bit integers in 64 bits, by long multiplication of two words: no device needs 64-bit integers.
#import lib/lane/full_product
#import operators/shared/plain_finish
#import operators/shared/widen

fn map(elem: Elem, index: u32) -> Acc { return widen(elem); }
fn identity() -> Acc { return Acc(1u, 0u); }

fn combine(a: Acc, b: Acc) -> Acc {
    let low = full_product(a.x, b.x);
    return Acc(low.x, low.y + a.x * b.y + a.y * b.x);
}
