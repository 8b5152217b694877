// Maximum, in the order that `shared/order.wgsl` defines. If there is a NaN, the result is NaN.
#import operators/shared/order
#import operators/keys/*

alias Acc = Key;

fn map(elem: Elem, index: u32) -> Acc { return to_key(elem, highest()); }
fn identity() -> Acc { return lowest(); }
fn combine(a: Acc, b: Acc) -> Acc { return greater(a, b); }
fn finish(acc: Acc, n: u32) -> Acc { return from_key(acc, highest()); }
