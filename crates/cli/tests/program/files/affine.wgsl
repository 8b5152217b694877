// Maps x -> scale * x + shift, modulo 2^32, one after the other: associative, and another result in any other order.
alias Acc = vec2<u32>;
fn map(elem: Elem, index: u32) -> Acc { return vec2<u32>(2u * elem + 1u, elem ^ index); }
fn identity() -> Acc { return vec2<u32>(1u, 0u); }
fn combine(a: Acc, b: Acc) -> Acc { return vec2<u32>(a.x * b.x, a.y * b.x + b.y); }
fn finish(acc: Acc, n: u32) -> Acc { return acc; }
