// tables: the results of groups, by a table of them in the memory of each workgroup.
//
// An addition to a table is an atomic one, and what it returns is never used: then the hardware need not wait for it, and it costs six to eight
// times less. A float in the window is an integer of 48 bits, its significand shifted by its exponent, and becomes three digits of 16 bits
// in two's complement:
//
//     window from 2^-10 to 2^14     1.5 · 2^3 is 0xc00000 << 13     -1.5 · 2^3
//     digits, the highest first     0x0018  0x0000  0x0000          -0x0018  0x0000  0x0000
//
// A word has 32 bits, so 2^15 such digits find room in it. Carries wait until then. A fourth word counts the elements
// of the group, in its upper half those that are -0; it tells when the room ends. Every so many steps a workgroup looks at the counts, and moves what
// has half of the room taken to the state of its group in storage: with ids that come at random that is nothing, until the end.
//
// The words of a group lie in planes: the counts of all groups, then all lowest digits, and so on. Next to each other they would meet in one
// bank of the memory. Where they find room, a group has COPIES of each word, for the lanes that add to one group at the same time; and four equal ids in
// a row are one addition.
//
// A workgroup chooses its window by a sample of exponents. Numbers outside of it go to the state in storage one by one. If these are
// many, it chooses another one.
//
// If not all groups find room, a workgroup has a slice of them. Those of one share of the pairs are next to each other and read the same ids at
// about the same time; they read only values that they need.
#import entry
#import io
#import keys
#import integers
#import pairs
#import rejected
#import states

// Groups of a slice, slices, copies of a word, and the words of a plane: of all copies of all groups.
override SLICE: u32 = 1u;
override SLICES: u32 = 1u;
override COPIES: u32 = 1u;
override PLANE: u32 = 1u;
// The first words of the planes with the keys of the least and the greatest values, and all words.
override LEAST_PLANE: u32 = 4u;
override MOST_PLANE: u32 = 4u;
override SLOTS: u32 = 4u;
// Exponents that are looked at to choose a window.
override SAMPLES: u32 = 32u;

// Exponents in the window, less one.
const SPAN: u32 = 24u;
// The highest first exponent of a window.
const LAST_WINDOW: u32 = 230u;
// The exponents above that of a sample that its window has.
const ABOVE: u32 = 2u;
// Additions that take half of the room.
const HALF: u32 = 16384u;

var<workgroup> table: array<atomic<u32>, SLOTS>;
var<workgroup> sample: array<u32, SAMPLES>;
// The window that most of a sample are in: their number, and in the lowest 8 bits the window.
var<workgroup> best: atomic<u32>;
var<workgroup> misses: atomic<u32>;

var<private> window: u32;
var<private> copy: u32;
// The first group of the slice, and the number of its groups.
var<private> first_group: u32;
var<private> mine: u32;
var<private> is_first_slice: bool;

// Digits of four numbers, the highest with the sign.
struct Digits {
    low: vec4<u32>,
    middle: vec4<u32>,
    high: vec4<u32>,
}

// The digits of values in the window, and zeros for others.
fn digits_of(bits: vec4<u32>, has: vec4<bool>) -> Digits {
    let minus = minus_of(bits);
#ifdef float
    let significand = select(vec4<u32>(0u), (bits & vec4<u32>(0x7fffffu)) | vec4<u32>(0x800000u), has);
    let k = ((bits >> vec4<u32>(23u)) - vec4<u32>(window)) & vec4<u32>(31u);
    let number = (significand ^ minus) - minus;
    let lower = number << k;
    let high = bitcast<vec4<u32>>((bitcast<vec4<i32>>(number) >> vec4<u32>(1u)) >> (vec4<u32>(31u) - k));
#else
    let lower = bits;
    let high = minus;
#endif
    return Digits(lower & vec4<u32>(0xffffu), lower >> vec4<u32>(16u), high);
}

// True where the window has the value; it has all integers. Of floats it has no zeros.
fn in_window(bits: vec4<u32>) -> vec4<bool> {
#ifdef float
    return (bits << vec4<u32>(1u)) - vec4<u32>(window << 24u) < vec4<u32>((SPAN + 1u) << 24u);
#else
    return vec4<bool>(true);
#endif
}

fn across(v: vec4<u32>) -> u32 {
    return v.x + v.y + v.z + v.w;
}

// Adds `tally` numbers to the table by the sums of their digits. Of most numbers one digit is 0.
fn add(slot: u32, tally: u32, digits: vec3<u32>) {
    let at = slot * COPIES + copy;
    atomicAdd(&table[at], tally);
    if SUMS {
        if digits.x != 0u {
            atomicAdd(&table[PLANE + at], digits.x);
        }
        if digits.y != 0u {
            atomicAdd(&table[2u * PLANE + at], digits.y);
        }
        if digits.z != 0u {
            atomicAdd(&table[3u * PLANE + at], digits.z);
        }
    }
}

fn add_keys(slot: u32, bits: u32) {
    let at = slot * COPIES + copy;
    if LEASTS {
        atomicMin(&table[LEAST_PLANE + at], least_key(bits));
    }
    if MOSTS {
        atomicMax(&table[MOST_PLANE + at], most_key(bits));
    }
}

// Adds values that the window has not. It is written once, and not written out: what runs rarely should take little space.
fn add_misses(four: FourPairs, missed: vec4<bool>) {
    var left = four;
    var flags = missed;
    // No launch has 2^31 workgroups, which no compiler knows.
    let count = 4u + (params.groups >> 31u);
    for (var i = 0u; i < count; i++) {
        if flags.x && left.bits.x == 0x80000000u {
            atomicAdd(&table[(left.id.x - first_group) * COPIES + copy], 0x10000u);
        } else if flags.x {
            atomicAdd(&misses, 1u);
            add_apart(left.id.x, left.bits.x);
        }
        left = turned(left);
        flags = flags.yzwx;
    }
}

fn visit(four: FourPairs) {
    let slots = four.id - vec4<u32>(first_group);
    let here = slots < vec4<u32>(mine);
    if is_first_slice && !all(here) {
        rejected += strangers(four);
    }
    var digits = Digits(vec4<u32>(0u), vec4<u32>(0u), vec4<u32>(0u));
    if SUMS {
        let has = in_window(four.bits);
        digits = digits_of(four.bits, has);
        let missed = here & !has & (four.bits != vec4<u32>(0u));
        if any(missed) {
            add_misses(four, missed);
        }
    }
    if all(slots.xyz == slots.yzw) && here.x {
        // Four additions at once.
        add(slots.x, 4u, vec3<u32>(across(digits.low), across(digits.middle), across(digits.high)));
    } else {
        if here.x {
            add(slots.x, 1u, vec3<u32>(digits.low.x, digits.middle.x, digits.high.x));
        }
        if here.y {
            add(slots.y, 1u, vec3<u32>(digits.low.y, digits.middle.y, digits.high.y));
        }
        if here.z {
            add(slots.z, 1u, vec3<u32>(digits.low.z, digits.middle.z, digits.high.z));
        }
        if here.w {
            add(slots.w, 1u, vec3<u32>(digits.low.w, digits.middle.w, digits.high.w));
        }
    }
    if LEASTS || MOSTS {
        if here.x {
            add_keys(slots.x, four.bits.x);
        }
        if here.y {
            add_keys(slots.y, four.bits.y);
        }
        if here.z {
            add_keys(slots.z, four.bits.z);
        }
        if here.w {
            add_keys(slots.w, four.bits.w);
        }
    }
}

fn clear(slot: u32, copies_of: u32) {
    let at = slot * COPIES + copies_of;
    atomicStore(&table[at], 0u);
    if SUMS {
        atomicStore(&table[PLANE + at], 0u);
        atomicStore(&table[2u * PLANE + at], 0u);
        atomicStore(&table[3u * PLANE + at], 0u);
    }
}

// The upper half of a word of signed digits.
fn above(word: u32) -> u32 {
    return bitcast<u32>(bitcast<i32>(word) >> 16u);
}

fn is_busy(slot: u32) -> bool {
    for (var c = 0u; c < COPIES; c++) {
        if (atomicLoad(&table[slot * COPIES + c]) & 0xffffu) >= HALF {
            return true;
        }
    }
    return false;
}

// Moves a group's number and counts to storage.
fn move_sum(slot: u32, lid: u32) {
    let id = first_group + slot;
    var count = 0u;
    var zeros = 0u;
    // The lower and the upper halves of the digits: all copies of them find room.
    var lower = vec3<u32>(0u);
    var upper = vec3<u32>(0u);
    for (var c = 0u; c < COPIES; c++) {
        // Lanes begin with different copies, which lie in different banks.
        let which = (c + lid) & (COPIES - 1u);
        let at = slot * COPIES + which;
        let tally = atomicLoad(&table[at]);
        count += tally & 0xffffu;
        zeros += tally >> 16u;
        if SUMS {
            let high = atomicLoad(&table[3u * PLANE + at]);
            let digits = vec3<u32>(atomicLoad(&table[PLANE + at]), atomicLoad(&table[2u * PLANE + at]), high);
            lower += digits & vec3<u32>(0xffffu);
            upper += vec3<u32>(above(digits.x), above(digits.y), above(digits.z));
        }
        clear(slot, which);
    }
    if count == 0u {
        return;
    }
    atomicAdd(&states[state_of(id) + COUNT], count);
    if !SUMS {
        return;
    }
    if zeros > 0u {
        atomicAdd(&states[state_of(id) + ZEROS], zeros);
    }
    // Carries, from digit to digit; the highest one has the sign.
    let second = above(lower.x) + upper.x + lower.y;
    let third = above(second) + upper.y + lower.z;
    let fourth = above(third) + upper.z;
    let number = vec3<u32>((lower.x & 0xffffu) | (second << 16u), (third & 0xffffu) | (fourth << 16u), above(fourth));
    let minus = bitcast<u32>(bitcast<i32>(number.z) >> 31u);
    // The magnitude is all bits flipped and one added, if the number is negative.
    var magnitude = number ^ vec3<u32>(minus);
    magnitude.x -= minus;
    let carries = minus != 0u && magnitude.x == 0u;
    magnitude.y += select(0u, 1u, carries);
    magnitude.z += select(0u, 1u, carries && magnitude.y == 0u);
#ifdef float
    add_magnitude(id, minus & 1u, window - 1u, magnitude);
#else
    add_magnitude(id, minus & 1u, UNIT, magnitude);
#endif
}

fn move_keys(slot: u32) {
    let state = state_of(first_group + slot);
    var least = 0xffffffffu;
    var most = 0u;
    for (var c = 0u; c < COPIES; c++) {
        let at = slot * COPIES + c;
        if LEASTS {
            least = min(least, atomicLoad(&table[LEAST_PLANE + at]));
        }
        if MOSTS {
            most = max(most, atomicLoad(&table[MOST_PLANE + at]));
        }
    }
    // In storage both are greatest, as zeros are what nothing has been added to.
    if LEASTS && least != 0xffffffffu {
        atomicMax(&states[state + LEAST], ~least);
    }
    if MOSTS && most != 0u {
        atomicMax(&states[state + MOST], most);
    }
}

// Chooses a window by a sample of exponents where a step begins, if it is `wanted`: the window that most of the sample are in. All invocations take
// part. Includes barriers.
fn chosen_window(wanted: bool, four: u32, lid: u32) -> u32 {
#ifdef float
    if wanted && lid < SAMPLES {
        let pair = min(4u * four, params.len - 1u);
        sample[lid] = exponent_of(vec4<u32>(values[params.first + pair])).x;
    }
    if lid == 0u {
        atomicStore(&best, 0u);
        atomicStore(&misses, 0u);
    }
    workgroupBarrier();
    if wanted && lid < SAMPLES {
        let candidate = clamp(sample[lid] + ABOVE, SPAN + 1u, LAST_WINDOW + SPAN) - SPAN;
        var number = 0u;
        for (var i = 0u; i < SAMPLES; i++) {
            number += select(0u, 1u, sample[i] - candidate <= SPAN);
        }
        atomicMax(&best, (number << 8u) | candidate);
    }
    workgroupBarrier();
    return select(window, atomicLoad(&best) & 0xffu, wanted);
#else
    return 0u;
#endif
}

fn kernel(at: Place, wg: Workgroup) {
    let share = wg.index / SLICES;
    let slice = wg.index - share * SLICES;
    if share >= params.shares {
        return;
    }
    first_group = slice * SLICE;
    mine = min(SLICE, GROUPS - first_group);
    is_first_slice = slice == 0u;
    copy = at.lid & (COPIES - 1u);
    for (var i = at.lid; i < SLOTS; i += WG) {
        atomicStore(&table[i], select(0u, 0xffffffffu, LEASTS && i - LEAST_PLANE < PLANE));
    }
    window = chosen_window(true, share * WG + at.lid, at.lid);
    workgroupBarrier();
    for (var begin = 0u; begin < params.steps; begin += params.period) {
        let end = min(begin + params.period, params.steps);
        // The next pairs are on their way while these are added.
        var next_four = load((begin * params.shares + share) * WG + at.lid);
        for (var step = begin; step < end; step++) {
            let four = next_four;
            next_four = load(((step + 1u) * params.shares + share) * WG + at.lid);
            visit(four);
        }
        workgroupBarrier();
        let is_last = end == params.steps;
#ifdef float
        let has_missed = atomicLoad(&misses) > (end - begin) * (WG / 4u);
        workgroupBarrier();
#else
        let has_missed = false;
#endif
        let next = chosen_window(has_missed && !is_last, (end * params.shares + share) * WG + at.lid, at.lid);
        let moves_all = is_last || next != window;
        for (var slot = at.lid; slot < mine; slot += WG) {
            if moves_all || is_busy(slot) {
                move_sum(slot, at.lid);
            }
        }
        window = next;
        workgroupBarrier();
    }
    if LEASTS || MOSTS {
        for (var slot = at.lid; slot < mine; slot += WG) {
            move_keys(slot);
        }
    }
    add_rejected(at.lid);
}
