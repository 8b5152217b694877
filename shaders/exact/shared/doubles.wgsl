// Sums of 64-bit floats, as two words each, by 32-bit integers alone.
#import two_words
#import three_sums

const LIMBS: u32 = 68u;
const COPIES: u32 = 1u;
const FORMAT: u32 = 0x103u;
const BELOW: u32 = 0u;
const MAY_LOAD_AHEAD: bool = true;
const ONE: u32 = 1023u;
const LOWEST: u32 = 1u;
const SPAN: u32 = 28u;
const LAST_WINDOW: u32 = 2019u;
// 2^32 numbers of 80 bits have 112, of which the highest digit has 31.
const DIGIT: u32 = 27u;
const UNDER: u32 = 0u;

fn sign_of(high: vec4<u32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(bitcast<vec4<i32>>(high) >> vec4<u32>(31u));
}

// The significand's bits from the 27th on.
fn upper_bits(low: vec4<u32>, high: vec4<u32>) -> vec4<u32> {
    let m = (high & vec4<u32>(0xfffffu)) | vec4<u32>(0x100000u);
    return (m << vec4<u32>(5u)) | (low >> vec4<u32>(27u));
}

// Eight numbers: the lower and the higher words of four, and of four more.
fn add_numbers(acc: Acc, a_low: vec4<u32>, a_high: vec4<u32>, b_low: vec4<u32>, b_high: vec4<u32>) -> Acc {
    // The exponent comes to the top, and the window to 0.
    let origin = vec4<u32>((acc.tag & WINDOW) << 21u);
    let ua = (a_high << vec4<u32>(1u)) - origin;
    let ub = (b_high << vec4<u32>(1u)) - origin;
    if largest_of(max(ua, ub)) >= (SPAN << 21u) {
        return add_carefully(acc, a_low, a_high, b_low, b_high);
    }
    let a = shares(a_low, upper_bits(a_low, a_high), ua >> vec4<u32>(21u), sign_of(a_high));
    let b = shares(b_low, upper_bits(b_low, b_high), ub >> vec4<u32>(21u), sign_of(b_high));
    return settle(acc, both(a, b), OTHERS);
}

fn is_inside(high: vec4<u32>, window: u32) -> vec4<bool> {
    return ((high << vec4<u32>(1u)) - vec4<u32>(window << 21u)) < vec4<u32>(SPAN << 21u);
}

// All ones where an element is neither in the window nor zero.
fn outside(low: vec4<u32>, high: vec4<u32>, window: u32) -> vec4<u32> {
    let is_zero = (low | (high << vec4<u32>(1u))) == vec4<u32>(0u);
    return select(vec4<u32>(0xffffffffu), vec4<u32>(0u), is_inside(high, window) | is_zero);
}

// The shares of those in the window.
fn chosen(low: vec4<u32>, high: vec4<u32>, window: u32) -> Shares {
    let inside = is_inside(high, window);
    let none = vec4<u32>(0u);
    let s = ((high << vec4<u32>(1u)) - vec4<u32>(window << 21u)) >> vec4<u32>(21u);
    return shares(
        select(none, low, inside),
        select(none, upper_bits(low, high), inside),
        select(none, s, inside),
        select(none, sign_of(high), inside),
    );
}

fn add_carefully(before: Acc, a_low: vec4<u32>, a_high: vec4<u32>, b_low: vec4<u32>, b_high: vec4<u32>) -> Acc {
    var acc = before;
    var window = acc.tag & WINDOW;
    var a = Rest(a_low, a_high, outside(a_low, a_high, window));
    var b = Rest(b_low, b_high, outside(b_low, b_high, window));
    if is_any(a.wanted | b.wanted) {
        let bottom = min(finite(a_low, a_high, 2047u), finite(b_low, b_high, 2047u));
        let top = max(finite(a_low, a_high, 0u), finite(b_low, b_high, 0u));
        if (acc.tag & TRIES) == 0u {
            acc = moved(acc, smallest_of(bottom), largest_of(top));
        }
        acc.tag += MISSED;
        if (acc.tag & WINDOW) == window {
            acc.tag |= SPILLED;
            for (var turn = 0u; turn < turns(4u); turn++) {
                acc.tag |= add_alone(a.low.x, a.high.x, a.wanted.x) | add_alone(b.low.x, b.high.x, b.wanted.x);
                a = turned(a);
                b = turned(b);
            }
        }
        window = acc.tag & WINDOW;
    }
    let minus_zero = vec4<u32>(0x80000000u);
    let others = a_low | b_low | (a_high ^ minus_zero) | (b_high ^ minus_zero);
    let sums = both(chosen(a_low, a_high, window), chosen(b_low, b_high, window));
    return settle(acc, sums, select(0u, OTHERS, is_any(others)));
}

// Four elements, and which of them are to be added one by one.
struct Rest {
    low: vec4<u32>,
    high: vec4<u32>,
    wanted: vec4<u32>,
}

fn turned(rest: Rest) -> Rest {
    return Rest(rest.low.yzwx, rest.high.yzwx, rest.wanted.yzwx);
}

// Exponents, but `instead` for zeros, and 0 for infinities and NaNs, which no window holds.
fn finite(low: vec4<u32>, high: vec4<u32>, instead: u32) -> vec4<u32> {
    let doubled = high << vec4<u32>(1u);
    let exponent = doubled >> vec4<u32>(21u);
    let number = select(exponent, vec4<u32>(0u), exponent == vec4<u32>(2047u));
    return select(number, vec4<u32>(instead), (low | doubled) == vec4<u32>(0u));
}

// Adds an element to the limbs, if it is wanted there. Returns flags.
fn add_alone(low: u32, high: u32, wanted: u32) -> u32 {
    if wanted == 0u {
        return 0u;
    }
    let exponent = (high >> 20u) & 0x7ffu;
    let fraction = high & 0xfffffu;
    if exponent == 2047u {
        return special((fraction | low) != 0u, high >> 31u);
    }
    let m = select(fraction, fraction | 0x100000u, exponent > 0u);
    add_number(high >> 31u, max(exponent, 1u) - 1u, low, m);
    return 0u;
}

// The exponent by which a window is chosen.
fn exponent_of(high: u32) -> u32 {
    let exponent = (high >> 20u) & 0x7ffu;
    return select(exponent, 0u, exponent == 2047u);
}
