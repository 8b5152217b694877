// An exact sum as an ordinary accumulator, for kernels that combine what they like: prefixes, runs of equal keys.
//
// Exact sums of whole inputs (shaders/ladder/exact.wgsl) keep a few words in registers and the rest in workgroup memory, which a prefix or a run
// cannot have for itself. Here every accumulator is the whole integer: in units of 2^-149 a float has 277 bits, a sum of 2^32 of them 32
// more, and a sign. Eleven digits of 28 bits hold that; the twelfth word holds flags.
//
// Two accumulators are added digit by digit, and each digit hands what is above its 28 bits to the next, all at the same time: a carry moves
// one digit and not further, so a digit may be a little more than 28 bits, or less than 0. With digits of 4 bits, 0x0ff9 + 0x0018:
//
//     digits        0   f   f   9   +   0   0   1   8
//     sums          0   f   10  11
//     carried       0   10  1   1       the digit that is 10 has room for it
//     settled       1   0   1   1       0x1011: `finish` moves carries through all digits, and rounds once
#import exact/formats/*
#import <constants>
#import shared/exact/four_digits
#import shared/exact/lanes
#import shared/exact/nearest

// Some element was -0. With the other flags this tells a sum of nothing but -0 from a sum of nothing.
const MINUS_ZEROS: u32 = 0x200000u;

// The digits, the lowest first, and flags in the last word.
struct Acc {
    low: vec4<u32>,
    middle: vec4<u32>,
    high: vec4<u32>,
}

fn identity() -> Acc { return Acc(); }

fn map(elem: Elem, index: u32) -> Acc {
#ifdef half
    let float = bitcast<u32>(f32(elem));
#else
    let float = elem;
#endif
    let field = (float >> 23u) & 255u;
    let sign = float >> 31u;
    let is_special = field == 255u;
    let m = select(significand_of(float), 0u, is_special);
    let place = max(field, 1u) - 1u;
    let minus = 0u - sign;
    let flags = select(select(OTHERS, MINUS_ZEROS, float == 0x80000000u), special((float & 0x7fffffu) != 0u, sign), is_special);
    return Acc(placed(m, place, minus, 0u), placed(m, place, minus, 4u), placed(m, place, minus, 8u) | vec4<u32>(vec3<u32>(), flags));
}

fn carries(sums: vec4<u32>) -> vec4<u32> { return bitcast<vec4<u32>>(bitcast<vec4<i32>>(sums) >> vec4<u32>(DIGIT)); }

fn combine(a: Acc, b: Acc) -> Acc {
    let low = a.low + b.low;
    let middle = a.middle + b.middle;
    let high = a.high.xyz + b.high.xyz;
    let from_low = carries(low);
    let from_middle = carries(middle);
    let mask = vec4<u32>(MASK);
    return Acc(
        (low & mask) + vec4<u32>(0u, from_low.xyz),
        (middle & mask) + vec4<u32>(from_low.w, from_middle.xyz),
        vec4<u32>((high.x & MASK) + from_middle.w, (high.y & MASK) + above(high.x), high.z + above(high.y), a.high.w | b.high.w),
    );
}

// Moves carries through four digits, the last of which keeps what is above it.
fn settled_four(four: vec4<u32>, carry: u32) -> vec4<u32> {
    let x = four.x + carry;
    let y = four.y + above(x);
    let z = four.z + above(y);
    return vec4<u32>(x & MASK, y & MASK, z & MASK, four.w + above(z));
}

// Moves carries through twelve digits, the last of which has the sign.
fn settled_digits(acc: Acc) -> Acc {
    let low = settled_four(acc.low, 0u);
    let middle = settled_four(acc.middle, above(low.w));
    let high = settled_four(acc.high, above(middle.w));
    return Acc(vec4<u32>(low.xyz, low.w & MASK), vec4<u32>(middle.xyz, middle.w & MASK), high);
}

fn is_some(digits: vec4<u32>) -> bool { return any(digits != vec4<u32>()); }

// The number of settled digits. The highest digit that is not zero and one or more below it are enough to round by, if it is known that there
// are others. A negative number is minus its flipped digits, and one more if all digits below are zero.
fn number_of(settled: Acc) -> Number {
    let minus = 0u - (settled.high.w >> 31u);
    let flip = vec4<u32>(minus & MASK);
    let low = settled.low ^ flip;
    let middle = settled.middle ^ flip;
    let high = settled.high ^ vec4<u32>(flip.xyz, minus);
    var four = low;
    var place = 0u;
    var rest = vec4<u32>();
    if is_some(vec4<u32>(low.w, middle.xy, 0u)) {
        four = vec4<u32>(low.zw, middle.xy);
        place = 2u * DIGIT;
        rest = vec4<u32>(settled.low.xy, 0u, 0u);
    }
    if is_some(vec4<u32>(middle.zw, high.x, 0u)) {
        four = vec4<u32>(middle.yzw, high.x);
        place = 5u * DIGIT;
        rest = settled.low | vec4<u32>(settled.middle.x, 0u, 0u, 0u);
    }
    if is_some(vec4<u32>(high.yzw, 0u)) {
        four = high;
        place = 8u * DIGIT;
        rest = settled.low | settled.middle;
    }
    let has_rest = is_some(rest);
    let number = number_and(whole(four), select(minus & 1u, 0u, has_rest), place, minus != 0u);
    return Number(number.is_negative, number.end, number.top, number.rest || has_rest);
}

fn finish(acc: Acc, n: u32) -> u32 {
    let settled = settled_digits(Acc(acc.low, acc.middle, vec4<u32>(acc.high.xyz, 0u)));
    return rounded(number_of(settled), acc.high.w, acc.high.w == 0u).x;
}
