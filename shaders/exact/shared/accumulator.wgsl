// The sum of an invocation in a window: four digits of DIGIT bits, the lowest first. All of them but the highest are from 0 to
// 2^DIGIT - 1; the highest has a sign. A digit does not fill its word, so several sums are added before carries are moved.
//
// The window begins UNDER bits above the lowest digit's first bit. Numbers that are too small for the window, but not by more
// than that, are added to the digits one by one, and need no limbs.
#import tag

const MASK: u32 = (1u << DIGIT) - 1u;

struct Acc {
    sum: vec4<u32>,
    tag: u32,
}

fn identity() -> Acc {
    return Acc(vec4<u32>(0u), 0u);
}

fn across(v: vec4<u32>) -> u32 {
    return v.x + v.y + v.z + v.w;
}

fn is_any(v: vec4<u32>) -> bool {
    return (v.x | v.y | v.z | v.w) != 0u;
}

// What a signed number leaves above a digit.
fn above(number: u32) -> u32 {
    return bitcast<u32>(bitcast<i32>(number) >> DIGIT);
}

// The sum of two accumulators that have the same window, or of which one has none. Its digits have no carries yet: there is
// room for the sum of eight.
fn add(a: Acc, b: Acc) -> Acc {
    return Acc(a.sum + b.sum, a.tag | b.tag);
}

// Digits that may have signs, and up to 31 bits, with their carries moved.
fn carried(acc: Acc) -> Acc {
    let y = acc.sum.y + above(acc.sum.x);
    let z = acc.sum.z + above(y);
    return Acc(vec4<u32>(acc.sum.x & MASK, y & MASK, z & MASK, acc.sum.w + above(z)), acc.tag);
}

// As a number of 128 bits in two's complement.
fn whole(acc: Acc) -> vec4<u32> {
    let d = acc.sum;
    return vec4<u32>(
        d.x | (d.y << DIGIT),
        (d.y >> (32u - DIGIT)) | (d.z << (2u * DIGIT - 32u)),
        (d.z >> (64u - 2u * DIGIT)) | (d.w << (3u * DIGIT - 64u)),
        bitcast<u32>(bitcast<i32>(d.w) >> (96u - 3u * DIGIT)),
    );
}

// A number of at most DIGIT bits as digits, whose carries are to be moved. Its lowest bit is at `place`, counted from that of
// the lowest digit. `minus` is all ones for a negative number.
fn placed(m: u32, place: u32, minus: u32) -> vec4<u32> {
    let digit = place / DIGIT;
    let k = place - digit * DIGIT;
    let lower = (((m << k) & MASK) ^ minus) - minus;
    let upper = ((m >> (DIGIT - k)) ^ minus) - minus;
    let at = vec4<u32>(0u, 1u, 2u, 3u);
    let none = vec4<u32>(0u);
    let below = select(none, vec4<u32>(lower), at == vec4<u32>(digit));
    return below + select(none, vec4<u32>(upper), at == vec4<u32>(digit + 1u));
}
