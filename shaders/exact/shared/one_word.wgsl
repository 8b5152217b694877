// Sums of numbers whose significand fits one word: 32-bit floats, as their bits.
//
// A window is 23 exponents wide. A number with a significand m of 24 bits, whose exponent is the s-th of the window, is
// x = m · 2^s: up to 46 bits. Sixteen of them are added at a time, as two sums of 32 bits (products.wgsl). `settle` adds
// such a batch to the invocation's digits, starting at the second digit, as the first lies below the window. 2^32 numbers of 46
// bits add up to less than 2^78, which is 22 bits of the highest digit and a sign: nothing overflows.
#import accumulator
#import products

const LIMBS: u32 = 11u;
const COPIES: u32 = 1u;
const FORMAT: u32 = 0x101u;
// Bits between the lowest digit's unit and the smallest result's.
const BELOW: u32 = 0u;
const MAY_LOAD_AHEAD: bool = true;
// The exponent of 1, that of the unit, the exponents of a window, and where the last window starts. Sums of sixteen numbers of
// the last window are no infinite floats, so it does not matter whether a compiler multiplies them by the scale before or after.
const ONE: u32 = 127u;
const LOWEST: u32 = 1u;
const SPAN: u32 = 23u;
const LAST_WINDOW: u32 = 227u;
const DIGIT: u32 = 28u;
const UNDER: u32 = 28u;
// Exponents above a window that its digits have room for: 2^32 numbers of 54 bits are 30 bits of the highest digit.
const OVER: u32 = 8u;

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

// Sixteen numbers. Zeros are in every window: of all numbers they are the smallest, and so are their negatives.
fn add_numbers(acc: Acc, v0: vec4<u32>, v1: vec4<u32>, v2: vec4<u32>, v3: vec4<u32>) -> Acc {
    let window = acc.tag & WINDOW;
    let one = vec4<u32>(1u);
    let d0 = v0 << one;
    let d1 = v1 << one;
    let d2 = v2 << one;
    let d3 = v3 << one;
    let largest = largest_of(d0, d1, d2, d3);
    let none = vec4<u32>(0u);
    let is_above = largest >= ((window + SPAN) << 24u);
    let is_below = largest_of(none - d0, none - d1, none - d2, none - d3) > (0u - (window << 24u));
    if is_above || is_below {
        return add_apart(acc, v0, v1, v2, v3);
    }
    let scale = scale_of(window);
    var sums = shares(v0, scale);
    sums = both(sums, shares(v1, scale));
    sums = both(sums, shares(v2, scale));
    sums = both(sums, shares(v3, scale));
    var flags = OTHERS;
    if largest == 0u {
        let minus_zero = vec4<u32>(0x80000000u);
        let others = (v0 ^ minus_zero) | (v1 ^ minus_zero) | (v2 ^ minus_zero) | (v3 ^ minus_zero);
        flags = select(0u, OTHERS, is_any(others));
    }
    return settle(acc, sums, flags);
}

// A second window, and the sum in it; without one, its tag is zero. Numbers of two scales, mixed, lie in two windows.
var<private> in_second: Acc;

// Numbers in the window, and zeros in place of others.
fn chosen(v: vec4<u32>, window: u32) -> vec4<u32> {
    return select(vec4<u32>(0u), v, places(v, window) < vec4<u32>(SPAN << 24u));
}

// Adds sixteen numbers to their windows, if each lies in one of the two. Returns whether that is so; the sum of those in the
// first window is then in `in_first`.
fn second_takes(window: u32, v0: vec4<u32>, v1: vec4<u32>, v2: vec4<u32>, v3: vec4<u32>) -> bool {
    let other = in_second.tag & WINDOW;
    let a0 = chosen(v0, window);
    let a1 = chosen(v1, window);
    let a2 = chosen(v2, window);
    let a3 = chosen(v3, window);
    let b0 = chosen(v0 ^ a0, other);
    let b1 = chosen(v1 ^ a1, other);
    let b2 = chosen(v2 ^ a2, other);
    let b3 = chosen(v3 ^ a3, other);
    // What is left is a zero's sign at most.
    let left = (v0 ^ a0 ^ b0) | (v1 ^ a1 ^ b1) | (v2 ^ a2 ^ b2) | (v3 ^ a3 ^ b3);
    if is_any(left << vec4<u32>(1u)) {
        return false;
    }
    let scale = scale_of(window);
    in_first = both(both(shares(a0, scale), shares(a1, scale)), both(shares(a2, scale), shares(a3, scale)));
    let second = scale_of(other);
    let sums = both(both(shares(b0, second), shares(b1, second)), both(shares(b2, second), shares(b3, second)));
    in_second = settle(in_second, sums, 0u);
    return true;
}

var<private> in_first: Shares;

// The second window's sum goes to the limbs, if there is one. Returns flags.
fn leave_second() -> u32 {
    if in_second.tag == 0u {
        return 0u;
    }
    spill(in_second);
    in_second = identity();
    return SPILLED;
}

// Kernels say whether they have a second window. It takes registers, which the smallest and the largest workgroups do not have: of
// the small ones there are several to a core if an invocation takes few, and in those of 1024 it has no more than 64. They move
// the first window instead.
fn has_second() -> bool {
    return MAY_HAVE_SECOND && (WG == 256u || WG == 512u);
}

// The same if some lie outside of the first window. If all lie in the two windows, each number goes to its window, otherwise
// they are added one by one. The third time and then every eighth another window is chosen for the batches that follow. The first
// two times use neither a second window nor bins: in most data few numbers are outside, and without these the end is shorter.
fn add_apart(before: Acc, v0: vec4<u32>, v1: vec4<u32>, v2: vec4<u32>, v3: vec4<u32>) -> Acc {
    var acc = before;
    if has_second() && in_second.tag != 0u && second_takes(acc.tag & WINDOW, v0, v1, v2, v3) {
        return settle(acc, in_first, OTHERS);
    }
    if (acc.tag & TRIES) == RARE {
        if has_second() {
            acc.tag |= leave_second();
            in_second.tag = other_window(acc.tag & WINDOW, v0, v1, v2, v3);
        } else {
            acc = moved(acc, other_window(NOWHERE, v0, v1, v2, v3));
        }
    }
    acc.tag = (acc.tag + MISSED) | OTHERS;
#ifdef prefers_bins
    if before.tag >= RARE {
        return binned(acc, v0, v1, v2, v3);
    }
#endif
    return one_by_one(acc, v0, v1, v2, v3);
}

// Sixteen numbers, each wherever it is.
fn one_by_one(before: Acc, v0: vec4<u32>, v1: vec4<u32>, v2: vec4<u32>, v3: vec4<u32>) -> Acc {
    var acc = before;
    var a = v0;
    var b = v1;
    var c = v2;
    var d = v3;
    for (var turn = 0u; turn < turns(4u); turn++) {
        acc = carried(add_one(add_one(add_one(add_one(acc, a.x), b.x), c.x), d.x));
        a = a.yzwx;
        b = b.yzwx;
        c = c.yzwx;
        d = d.yzwx;
    }
    return acc;
}

// One number, wherever it is: what is in the window or not far from it goes to the digits, which have room for four, all else to its
// bin.
fn add_one(acc: Acc, bits: u32) -> Acc {
    let exponent = (bits >> 23u) & 255u;
    let place = exponent + UNDER - (acc.tag & WINDOW);
    if exponent == 0u || exponent == 255u || place >= UNDER + SPAN + OVER {
        return Acc(acc.sum, acc.tag | add_alone(bits));
    }
    let m = (bits & 0x7fffffu) | 0x800000u;
    return Acc(acc.sum + placed(m, place, 0u - (bits >> 31u)), acc.tag);
}

// Moves the window, if there is another one. The sum in the old one goes to the limbs.
fn moved(acc: Acc, other: u32) -> Acc {
    if other == 0u {
        return acc;
    }
    spill(acc);
    return Acc(vec4<u32>(0u), (acc.tag & ~WINDOW) | SPILLED | other);
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
    let holds_all = largest > 0u && largest < other + SPAN && min(min(bottom.x, bottom.y), min(bottom.z, bottom.w)) >= other;
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

// Numbers of batches that fit no window: a bin for each sign and exponent, as significands with the same exponent can be added
// as they are. That takes one atomic addition. The value that it returns shows whether the bin wrapped; then 2^32 goes to the
// limbs.
var<workgroup> bins: array<atomic<u32>, 512>;

fn clear_bins(at: Place) {
    for (var i = at.lid; i < 512u; i += WG) {
        atomicStore(&bins[i], 0u);
    }
}

// Adds to the limbs so many units of a bin; the upper word counts 2^32 units.
fn add_bin(i: u32, low: u32, high: u32) {
    add_number(i >> 8u, max(i & 255u, 1u) - 1u, low, high);
}

// Adds all bins to the limbs; a barrier has to follow.
fn empty_bins(at: Place) {
    for (var i = at.lid; i < 512u; i += WG) {
        add_bin(i, atomicLoad(&bins[i]), 0u);
    }
}

#ifdef prefers_bins
// Sixteen numbers, all of them in bins. That is faster than digits if many numbers are outside of windows, but costs some time at
// the end. The code for it slows down kernels with one window, and sums of 16-bit floats, so those do without.
fn binned(acc: Acc, v0: vec4<u32>, v1: vec4<u32>, v2: vec4<u32>, v3: vec4<u32>) -> Acc {
    var flags = acc.tag;
    var a = v0;
    var b = v1;
    var c = v2;
    var d = v3;
    for (var turn = 0u; turn < turns(4u); turn++) {
        flags |= add_four(vec4<u32>(a.x, b.x, c.x, d.x));
        a = a.yzwx;
        b = b.yzwx;
        c = c.yzwx;
        d = d.yzwx;
    }
    return Acc(acc.sum, flags);
}

// Adds four numbers to their bins. Returns flags.
fn add_four(v: vec4<u32>) -> u32 {
    let is_normal = ((v << vec4<u32>(1u)) - vec4<u32>(0x1000000u)) < vec4<u32>(0xfe000000u);
    if !all(is_normal) {
        return add_alone(v.x) | add_alone(v.y) | add_alone(v.z) | add_alone(v.w);
    }
    let bin = v >> vec4<u32>(23u);
    let m = (v & vec4<u32>(0x7fffffu)) | vec4<u32>(0x800000u);
    let before = vec4<u32>(
        atomicAdd(&bins[bin.x], m.x),
        atomicAdd(&bins[bin.y], m.y),
        atomicAdd(&bins[bin.z], m.z),
        atomicAdd(&bins[bin.w], m.w),
    );
    var wrapped = (before + m) < before;
    if any(wrapped) {
        var which = bin;
        for (var i = 0u; i < turns(4u); i++) {
            if wrapped.x {
                add_bin(which.x, 0u, 1u);
            }
            which = which.yzwx;
            wrapped = wrapped.yzwx;
        }
    }
    return SPILLED;
}
#endif

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
        add_bin(bits >> 23u, 0u, 1u);
    }
    return SPILLED;
}

// The exponent by which a window is chosen: the largest of numbers that are finite.
fn largest_exponent_of(v: vec4<u32>) -> u32 {
    let exponents = (v >> vec4<u32>(23u)) & vec4<u32>(255u);
    let finite = select(exponents, vec4<u32>(0u), exponents == vec4<u32>(255u));
    return max(max(finite.x, finite.y), max(finite.z, finite.w));
}
