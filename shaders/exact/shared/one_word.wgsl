// Sums of numbers whose significand fits one word: 32-bit floats, as their bits.
//
// A window is 28 exponents wide. A number with a significand m of 24 bits, whose exponent is the s-th of the window, is
// x = m · 2^s: up to 51 bits. Sixteen of them are added at a time, as two sums of 32 bits (two_sums.wgsl). `settle` adds
// such a batch to the invocation's sum, which is three digits:
//
//     low + 2^27 · middle + 2^54 · high      0 ≤ low, middle < 2^27, high signed
//
// 2^32 numbers of 51 bits add up to less than 2^83, so `high` stays below 2^29: nothing overflows.
#import tag
#import two_sums

const LIMBS: u32 = 11u;
const COPIES: u32 = 1u;
const FORMAT: u32 = 0x101u;
// Bits between the lowest digit's unit and the smallest result's.
const BELOW: u32 = 0u;
const LOWEST: u32 = 1u;
const MAY_LOAD_AHEAD: bool = true;
const HIGHEST: u32 = 254u;

struct Acc {
    low: u32,
    middle: u32,
    high: u32,
    tag: u32,
}

fn identity() -> Acc {
    return Acc(0u, 0u, 0u, 0u);
}

// Both have the same window, or one has none.
fn combine(a: Acc, b: Acc) -> Acc {
    let low = a.low + b.low;
    let middle = a.middle + b.middle + (low >> DIGIT);
    return Acc(low & MASK, middle & MASK, a.high + b.high + (middle >> DIGIT), a.tag | b.tag);
}

// As a number of 128 bits in two's complement.
fn whole(acc: Acc) -> vec4<u32> {
    let high = bitcast<i32>(acc.high);
    return vec4<u32>(
        acc.low | (acc.middle << 27u),
        (acc.middle >> 5u) | (acc.high << 22u),
        bitcast<u32>(high >> 10u),
        bitcast<u32>(high >> 31u),
    );
}

// The first bit of a normal number's significand, which its bits leave out.
const HIDDEN: u32 = 0x800000u;

// Where four numbers are in the window, from its lowest exponent up, in the upper eight bits. One comparison says whether
// a number is in it.
fn places(v: vec4<u32>, window: u32) -> vec4<u32> {
    return (v << vec4<u32>(1u)) - vec4<u32>(window << 24u);
}

fn largest_of(a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32>) -> u32 {
    // In a row and not as a tree: some GPUs take the largest of three in one operation.
    let e = max(max(a, b), c);
    let x = max(max(e.x, e.y), e.z);
    let y = max(max(x, e.w), d.x);
    return max(max(max(y, d.y), d.z), d.w);
}

// Sixteen numbers.
fn add_numbers(acc: Acc, v0: vec4<u32>, v1: vec4<u32>, v2: vec4<u32>, v3: vec4<u32>) -> Acc {
    let window = acc.tag & WINDOW;
    let u0 = places(v0, window);
    let u1 = places(v1, window);
    let u2 = places(v2, window);
    let u3 = places(v3, window);
    if largest_of(u0, u1, u2, u3) >= (SPAN << 24u) {
        return add_carefully(acc, v0, v1, v2, v3);
    }
    let hidden = vec4<u32>(HIDDEN);
    var sums = shares(v0, u0, hidden);
    sums = both(sums, shares(v1, u1, hidden));
    sums = both(sums, shares(v2, u2, hidden));
    sums = both(sums, shares(v3, u3, hidden));
    return settle(acc, sums, OTHERS);
}

fn is_any(v: vec4<u32>) -> bool {
    return (v.x | v.y | v.z | v.w) != 0u;
}

// The places of numbers in the window or at zero. Zeros have no hidden bit, so it does not matter where in the window they are;
// but no shift may go by 32 or more.
fn inside(v: vec4<u32>, window: u32) -> vec4<u32> {
    return min(places(v, window), vec4<u32>((SPAN << 24u) - 1u));
}

// The same if some are zeros, or lie outside of the window.
fn add_carefully(before: Acc, v0: vec4<u32>, v1: vec4<u32>, v2: vec4<u32>, v3: vec4<u32>) -> Acc {
    let window = before.tag & WINDOW;
    let d0 = v0 << vec4<u32>(1u);
    let d1 = v1 << vec4<u32>(1u);
    let d2 = v2 << vec4<u32>(1u);
    let d3 = v3 << vec4<u32>(1u);
    // Zeros pass both comparisons: of all numbers, the negative of zero is the smallest, too.
    let none = vec4<u32>(0u);
    let is_above = largest_of(d0, d1, d2, d3) >= ((window + SPAN) << 24u);
    let is_below = largest_of(none - d0, none - d1, none - d2, none - d3) > (0u - (window << 24u));
    if is_above || is_below {
        return add_apart(before, v0, v1, v2, v3);
    }
    let hidden = vec4<u32>(HIDDEN);
    var sums = shares(v0, inside(v0, window), min(d0, hidden));
    sums = both(sums, shares(v1, inside(v1, window), min(d1, hidden)));
    sums = both(sums, shares(v2, inside(v2, window), min(d2, hidden)));
    sums = both(sums, shares(v3, inside(v3, window), min(d3, hidden)));
    var flags = OTHERS;
    if (before.tag & OTHERS) == 0u {
        let minus_zero = vec4<u32>(0x80000000u);
        let others = (v0 ^ minus_zero) | (v1 ^ minus_zero) | (v2 ^ minus_zero) | (v3 ^ minus_zero);
        flags = select(0u, OTHERS, is_any(others));
    }
    return settle(before, sums, flags);
}

// A second window, and the sum in it; without one, its tag is zero. Numbers of two scales, mixed, lie in two windows.
var<private> in_second: Acc;

// Places in the window that holds a number; if both do, in the one where its place is lower.
fn places_in_two(v: vec4<u32>, window: u32) -> vec4<u32> {
    return min(places(v, window), places(v, in_second.tag & WINDOW));
}

fn are_in_two(window: u32, v0: vec4<u32>, v1: vec4<u32>, v2: vec4<u32>, v3: vec4<u32>) -> bool {
    let u0 = places_in_two(v0, window);
    let u1 = places_in_two(v1, window);
    let u2 = places_in_two(v2, window);
    let u3 = places_in_two(v3, window);
    return largest_of(u0, u1, u2, u3) < (SPAN << 24u);
}

// Shares in both windows together, and in the second one alone.
struct Split {
    all: Shares,
    second: Shares,
}

fn split(v: vec4<u32>, window: u32) -> Split {
    let u = places_in_two(v, window);
    let all = shares(v, u, vec4<u32>(HIDDEN));
    let none = vec4<u32>(0u);
    let is_second = u != places(v, window);
    return Split(all, Shares(select(none, all.low, is_second), select(none, all.middle, is_second)));
}

fn both_splits(a: Split, b: Split) -> Split {
    return Split(both(a.all, b.all), both(a.second, b.second));
}

// Adds each number to its window.
fn add_to_two(before: Acc, v0: vec4<u32>, v1: vec4<u32>, v2: vec4<u32>, v3: vec4<u32>) -> Acc {
    let window = before.tag & WINDOW;
    var sums = split(v0, window);
    sums = both_splits(sums, split(v1, window));
    sums = both_splits(sums, split(v2, window));
    sums = both_splits(sums, split(v3, window));
    in_second = settle(in_second, sums.second, 0u);
    let low = sums.all.low - sums.second.low;
    return settle(before, Shares(low, sums.all.middle - sums.second.middle), OTHERS);
}

// The second window's sum goes to the limbs.
fn leave_second() {
    if has_second() && in_second.tag != 0u {
        spill(in_second);
        in_second = identity();
    }
}

// Small workgroups do without a second window: there are several to a core if an invocation takes few registers. They move
// the first one instead.
fn has_second() -> bool {
    return WG >= 512u;
}

// The same if some lie outside of the first window. If all lie in the two windows, each number goes to its window, otherwise
// (also if there is a zero) each goes to its bin, and every eighth time another window is chosen for the batches that follow.
fn add_apart(before: Acc, v0: vec4<u32>, v1: vec4<u32>, v2: vec4<u32>, v3: vec4<u32>) -> Acc {
    var acc = before;
    if has_second() && in_second.tag != 0u && are_in_two(acc.tag & WINDOW, v0, v1, v2, v3) {
        return add_to_two(acc, v0, v1, v2, v3);
    }
    if (acc.tag & TRIES) == 0u {
        if has_second() {
            leave_second();
            in_second.tag = other_window(acc.tag & WINDOW, v0, v1, v2, v3);
        } else {
            acc = moved(acc, other_window(NOWHERE, v0, v1, v2, v3));
        }
    }
    var flags = SPILLED | OTHERS;
    var a = v0;
    var b = v1;
    var c = v2;
    var d = v3;
    for (var turn = 0u; turn < turns(4u); turn++) {
        flags |= add_alone(a.x) | add_alone(b.x) | add_alone(c.x) | add_alone(d.x);
        a = a.yzwx;
        b = b.yzwx;
        c = c.yzwx;
        d = d.yzwx;
    }
    acc.tag = (acc.tag + MISSED) | flags;
    return acc;
}

// Moves the window, if there is another one. The sum in the old one goes to the limbs.
fn moved(acc: Acc, other: u32) -> Acc {
    if other == 0u {
        return acc;
    }
    spill(acc);
    return Acc(0u, 0u, 0u, (acc.tag & ~WINDOW) | other);
}

// A window that holds nothing.
const NOWHERE: u32 = WINDOW;

// The window of all those numbers that lie outside of the first one; 0 if no window holds all of them.
fn other_window(window: u32, v0: vec4<u32>, v1: vec4<u32>, v2: vec4<u32>, v3: vec4<u32>) -> u32 {
    let top = max(max(beyond(v0, window, 0u), beyond(v1, window, 0u)), max(beyond(v2, window, 0u), beyond(v3, window, 0u)));
    let far = 255u;
    let bottom = min(min(beyond(v0, window, far), beyond(v1, window, far)), min(beyond(v2, window, far), beyond(v3, window, far)));
    let largest = max(max(top.x, top.y), max(top.z, top.w));
    let other = window_below(largest);
    let holds_all = largest > 0u && min(min(bottom.x, bottom.y), min(bottom.z, bottom.w)) >= other;
    return select(0u, other, holds_all);
}

// Exponents of numbers outside of the window, but `instead` for those in it and for zeros, and 0 for infinities and NaNs, which
// no window holds.
fn beyond(v: vec4<u32>, window: u32, instead: u32) -> vec4<u32> {
    let exponents = (v << vec4<u32>(1u)) >> vec4<u32>(24u);
    let finite = select(exponents, vec4<u32>(0u), exponents == vec4<u32>(255u));
    let is_inside = (exponents - vec4<u32>(window)) < vec4<u32>(SPAN);
    return select(finite, vec4<u32>(instead), is_inside | ((v << vec4<u32>(1u)) == vec4<u32>(0u)));
}

// Numbers outside of the window: a bin for each sign and exponent, as significands with the same exponent can be added as
// they are. That takes one atomic addition. The value that it returns shows whether the bin's 32 bits wrapped; then
// the bin's upper word counts one more.
var<workgroup> bins: array<atomic<u32>, 1024>;

fn clear_bins(at: Place) {
    for (var i = at.lid; i < 1024u; i += WG) {
        atomicStore(&bins[i], 0u);
    }
}

// Adds all bins to the limbs; a barrier has to follow.
fn empty_bins(at: Place) {
    for (var i = at.lid; i < 512u; i += WG) {
        let low = atomicLoad(&bins[i]);
        let high = atomicLoad(&bins[512u + i]);
        add_number(i >> 8u, max(i & 255u, 1u) - 1u, low, high);
    }
}

// Adds a number to its bin, unless it is zero. Returns flags.
fn add_alone(bits: u32) -> u32 {
    let doubled = bits << 1u;
    var m = (bits & 0x7fffffu) | 0x800000u;
    if doubled - 0x1000000u >= 0xfe000000u {
        if doubled == 0u {
            return 0u;
        }
        if doubled >= 0xff000000u {
            return special(doubled > 0xff000000u, bits >> 31u);
        }
        m = bits & 0x7fffffu;
    }
    let before = atomicAdd(&bins[bits >> 23u], m);
    if before + m < before {
        atomicAdd(&bins[512u + (bits >> 23u)], 1u);
    }
    return 0u;
}

// The exponent by which a window is chosen.
fn exponent_of(bits: u32) -> u32 {
    let exponent = (bits >> 23u) & 0xffu;
    return select(exponent, 0u, exponent == 255u);
}
