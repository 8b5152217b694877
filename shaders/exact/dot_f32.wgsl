// Products of two 32-bit floats, not rounded: 48 bits, and the sum of two exponents.
#import two_words
#import product_sums
#import factors

const LIMBS: u32 = 20u;
const COPIES: u32 = 4u;
const FORMAT: u32 = 0x102u;
const BELOW: u32 = 149u;
// Products already need all registers.
const MAY_LOAD_AHEAD: bool = false;
const ONE: u32 = 254u;
const LOWEST: u32 = 2u;
const SPAN: u32 = 22u;
const LAST_WINDOW: u32 = 487u;
// 2^32 products of 69 bits have 101, and 112 with those below the window, of which the highest digit has 31.
const DIGIT: u32 = 27u;
const UNDER: u32 = 11u;
const PER_VECTOR: u32 = 4u;
// With +0 as the other factor the product is -0.
const NOTHING: u32 = 0x80000000u;

// The fields of exponents.
fn fields(v: vec4<u32>) -> vec4<u32> {
    return v & vec4<u32>(0x7f800000u);
}

// The sum of the exponents; if a factor is not normal, more than any window holds.
fn exponents(v: vec4<u32>, w: vec4<u32>) -> vec4<u32> {
    return select((fields(v) + fields(w)) >> vec4<u32>(23u), vec4<u32>(0xffffu), oddness(v, w) >= vec4<u32>(ODD));
}

// At least this if one of two factors is not normal.
const ODD: u32 = 0x7f000000u;

fn oddness(v: vec4<u32>, w: vec4<u32>) -> vec4<u32> {
    // A field of 0 wraps.
    let one = vec4<u32>(0x800000u);
    return max(fields(v) - one, fields(w) - one);
}

// Where four products are in the window, from its lowest exponent up, in the upper nine bits.
fn places(f: Factors, window: u32) -> vec4<u32> {
    return fields(f.v) + fields(f.w) - vec4<u32>(window << 23u);
}

// The bits of ±2^s, by the places of products.
fn powers(f: Factors, u: vec4<u32>) -> vec4<u32> {
    return ((f.v ^ f.w) & vec4<u32>(0x80000000u)) | (u + vec4<u32>(127u << 23u));
}

fn add_batch(acc: Acc, f0: Factors, f1: Factors, f2: Factors, f3: Factors) -> Acc {
    let window = acc.tag & WINDOW;
    let u0 = places(f0, window);
    let u1 = places(f1, window);
    let u2 = places(f2, window);
    let u3 = places(f3, window);
    let odd = max(max(oddness(f0.v, f0.w), oddness(f1.v, f1.w)), max(oddness(f2.v, f2.w), oddness(f3.v, f3.w)));
    let worst = max(max(max(u0, u1), u2), u3);
    if largest_of(worst) >= (SPAN << 23u) || largest_of(odd) >= ODD {
        return add_carefully(acc, f0, f1, f2, f3);
    }
    var sums = products(f0, powers(f0, u0));
    sums = both(sums, products(f1, powers(f1, u1)));
    sums = both(sums, products(f2, powers(f2, u2)));
    sums = both(sums, products(f3, powers(f3, u3)));
    return settle(acc, sums, OTHERS);
}

// The same where some are zero, or lie outside of the window.
fn add_carefully(before: Acc, f0: Factors, f1: Factors, f2: Factors, f3: Factors) -> Acc {
    var acc = before;
    var r0 = Rest(f0.v, f0.w, outside(f0, acc.tag));
    var r1 = Rest(f1.v, f1.w, outside(f1, acc.tag));
    var r2 = Rest(f2.v, f2.w, outside(f2, acc.tag));
    var r3 = Rest(f3.v, f3.w, outside(f3, acc.tag));
    if is_any(r0.wanted | r1.wanted | r2.wanted | r3.wanted) {
        if (acc.tag & TRIES) == MISSED {
            let top = max(max(finite(f0, 0u), finite(f1, 0u)), max(finite(f2, 0u), finite(f3, 0u)));
            let bottom = min(min(finite(f0, 0xffffu), finite(f1, 0xffffu)), min(finite(f2, 0xffffu), finite(f3, 0xffffu)));
            acc = moved(acc, smallest_of(bottom), largest_of(top));
        }
        acc.tag += MISSED;
        if (acc.tag & WINDOW) == (before.tag & WINDOW) {
            for (var turn = 0u; turn < turns(4u); turn++) {
                let two = add_one(add_one(acc, r0.v.x, r0.w.x, r0.wanted.x), r1.v.x, r1.w.x, r1.wanted.x);
                acc = carried(add_one(add_one(two, r2.v.x, r2.w.x, r2.wanted.x), r3.v.x, r3.w.x, r3.wanted.x));
                r0 = turned(r0);
                r1 = turned(r1);
                r2 = turned(r2);
                r3 = turned(r3);
            }
        }
    }
    var sums = chosen(f0, acc.tag);
    sums = both(sums, chosen(f1, acc.tag));
    sums = both(sums, chosen(f2, acc.tag));
    sums = both(sums, chosen(f3, acc.tag));
    let others = other_than_minus_zero(f0) | other_than_minus_zero(f1) | other_than_minus_zero(f2) | other_than_minus_zero(f3);
    return settle(acc, sums, select(0u, OTHERS, is_any(others)));
}

// Four pairs of factors, and which of their products are to be added one by one.
struct Rest {
    v: vec4<u32>,
    w: vec4<u32>,
    wanted: vec4<u32>,
}

fn turned(rest: Rest) -> Rest {
    return Rest(rest.v.yzwx, rest.w.yzwx, rest.wanted.yzwx);
}

// Those products that are in the window.
fn chosen(f: Factors, tag: u32) -> Shares {
    let window = tag & WINDOW;
    let inside = (exponents(f.v, f.w) - vec4<u32>(window)) < vec4<u32>(SPAN);
    return products(f, select(vec4<u32>(0u), powers(f, places(f, window)), inside));
}

fn is_zero(f: Factors) -> vec4<bool> {
    let none = vec4<u32>(0u);
    return ((f.v << vec4<u32>(1u)) == none) | ((f.w << vec4<u32>(1u)) == none);
}

fn is_not_finite(f: Factors) -> vec4<bool> {
    let top = max(f.v << vec4<u32>(1u), f.w << vec4<u32>(1u));
    return top >= vec4<u32>(0xff000000u);
}

// All ones where a product is neither in the window nor a zero of finite factors.
fn outside(f: Factors, tag: u32) -> vec4<u32> {
    let inside = (exponents(f.v, f.w) - vec4<u32>(tag & WINDOW)) < vec4<u32>(SPAN);
    let nothing = is_zero(f) & !is_not_finite(f);
    return select(vec4<u32>(0xffffffffu), vec4<u32>(0u), inside | nothing);
}

fn other_than_minus_zero(f: Factors) -> vec4<u32> {
    let minus_zero = is_zero(f) & (((f.v ^ f.w) >> vec4<u32>(31u)) == vec4<u32>(1u)) & !is_not_finite(f);
    return select(vec4<u32>(1u), vec4<u32>(0u), minus_zero);
}

// Sums of the exponents of normal factors, but `instead` for products that are zero, and 0 for others, for which no window
// moves.
fn finite(f: Factors, instead: u32) -> vec4<u32> {
    let sum = exponents(f.v, f.w);
    let number = select(sum, vec4<u32>(0u), sum == vec4<u32>(0xffffu));
    return select(number, vec4<u32>(instead), is_zero(f) & !is_not_finite(f));
}

fn significand(bits: u32) -> u32 {
    let fraction = bits & 0x7fffffu;
    return select(fraction, fraction | 0x800000u, ((bits >> 23u) & 0xffu) > 0u);
}

// The product of two significands, which has 48 bits: the lower half and the upper.
fn product_of(a: u32, b: u32) -> vec2<u32> {
    let lowest = (a & 0xfffu) * (b & 0xfffu);
    let middle = (a >> 12u) * (b & 0xfffu) + (a & 0xfffu) * (b >> 12u) + (lowest >> 12u);
    return vec2<u32>((a * b) & 0xffffffu, (a >> 12u) * (b >> 12u) + (middle >> 12u));
}

// A product, if it is wanted: what is not far below the window goes to the digits, all else to the limbs. Digits have room for
// four.
fn add_one(acc: Acc, v: u32, w: u32, wanted: u32) -> Acc {
    if wanted == 0u {
        return acc;
    }
    let sign = (v ^ w) >> 31u;
    let product = product_of(significand(v), significand(w));
    let place = exponents(vec4<u32>(v), vec4<u32>(w)).x + UNDER - (acc.tag & WINDOW);
    if place < UNDER + SPAN {
        let minus = 0u - sign;
        return Acc(acc.sum + placed(product.x, place, minus) + placed(product.y, place + 24u, minus), acc.tag);
    }
    let first = (v >> 23u) & 0xffu;
    let second = (w >> 23u) & 0xffu;
    if max(first, second) == 255u {
        let is_nan = (v << 1u) > 0xff000000u || (w << 1u) > 0xff000000u;
        return Acc(acc.sum, acc.tag | special(is_nan || (v << 1u) == 0u || (w << 1u) == 0u, sign));
    }
    add_number(sign, max(first, 1u) + max(second, 1u) - 2u, product.x | (product.y << 24u), product.y >> 8u);
    return Acc(acc.sum, acc.tag | SPILLED);
}

// Both factors of pair `p`.
fn element(p: u32) -> vec2<u32> {
    return vec2<u32>(input[p], second_at(p));
}

fn among_nothing(item: vec2<u32>) -> Factors {
    return Factors(vec4<u32>(item.x, NOTHING, NOTHING, NOTHING), vec4<u32>(item.y, 0u, 0u, 0u));
}

fn nothing() -> Factors {
    return Factors(vec4<u32>(NOTHING), vec4<u32>(0u));
}

fn largest_exponent(f: Factors) -> u32 {
    let sums = exponents(f.v, f.w);
    return largest_of(select(sums, vec4<u32>(0u), sums == vec4<u32>(0xffffu)));
}
