// A workgroup's table of groups: additions to it, and moves of its contents to storage. tables.wgsl explains both.
#import group/shared/io
#import group/shared/keys
#import group/shared/integers
#import group/shared/pairs
#import group/shared/rejected
#import group/shared/states
#import group/shared/squares
#import group/shared/table_words

// Exponents that are looked at to choose a window.
override SAMPLES: u32 = 32u;

// The highest first exponent of a window.
const LAST_WINDOW: u32 = 230u;
// The exponents above that of a sample that its window has.
const ABOVE: u32 = 2u;
// Additions that take half of the room.
const HALF: u32 = 16384u;

var<workgroup> sample: array<u32, SAMPLES>;
// The window that most of a sample are in: their number, and in the lowest 8 bits the window.
var<workgroup> best: atomic<u32>;
var<workgroup> misses: atomic<u32>;

// True if this workgroup counts the ids that no group has.
var<private> counts_strangers: bool;

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

fn across(v: vec4<u32>) -> u32 {
    return v.x + v.y + v.z + v.w;
}

// Adds `tally` numbers to the table by the sums of their digits. Skips zero digits: most values have one.
fn add(slot: u32, tally: u32, digits: vec3<u32>) {
    let at = slot * COPIES + copy;
    atomicAdd(&table[at], tally);
    if SUMS {
        if digits.x != 0u { atomicAdd(&table[PLANE + at], digits.x); }
        if digits.y != 0u { atomicAdd(&table[2u * PLANE + at], digits.y); }
        if digits.z != 0u { atomicAdd(&table[3u * PLANE + at], digits.z); }
    }
}

fn add_keys(slot: u32, bits: u32) {
    let at = slot * COPIES + copy;
    if WANT_MIN {
        atomicMin(&table[LEAST_PLANE + at], least_key(bits));
    }
    if WANT_MAX {
        atomicMax(&table[MOST_PLANE + at], most_key(bits));
    }
}

// Slow path: adds values outside the window. A loop, not unrolled, to keep the code small.
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
    if counts_strangers && !all(here) {
        rejected += out_of_range(four);
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
    if SQUARES {
        visit_squares(four.bits, slots, here);
    }
    if all(slots.xyz == slots.yzw) && here.x {
        add(slots.x, 4u, vec3<u32>(across(digits.low), across(digits.middle), across(digits.high)));
        #for c in x y z w: add_keys(slots.x, four.bits.$c);
    } else {
#for c in x y z w
        if here.$c {
            add(slots.$c, 1u, vec3<u32>(digits.low.$c, digits.middle.$c, digits.high.$c));
            add_keys(slots.$c, four.bits.$c);
        }
#end
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
        let at = slot * COPIES + ((c + lid) & (COPIES - 1u));
        let tally = atomicLoad(&table[at]);
        atomicStore(&table[at], 0u);
        count += tally & 0xffffu;
        zeros += tally >> 16u;
        if SUMS {
            let high = atomicLoad(&table[3u * PLANE + at]);
            let digits = vec3<u32>(atomicLoad(&table[PLANE + at]), atomicLoad(&table[2u * PLANE + at]), high);
            lower += digits & vec3<u32>(0xffffu);
            upper += vec3<u32>(above(digits.x), above(digits.y), above(digits.z));
            atomicStore(&table[PLANE + at], 0u);
            #for k in 2..4: atomicStore(&table[$(k)u * PLANE + at], 0u);
        }
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
    if SQUARES {
        move_squares(slot, lid);
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

// Moves the least and greatest keys of a group.
fn move_keys(slot: u32) {
    let state = state_of(first_group + slot);
    var least = 0xffffffffu;
    var most = 0u;
    for (var c = 0u; c < COPIES; c++) {
        let at = slot * COPIES + c;
        if WANT_MIN {
            least = min(least, atomicExchange(&table[LEAST_PLANE + at], 0xffffffffu));
        }
        if WANT_MAX {
            most = max(most, atomicExchange(&table[MOST_PLANE + at], 0u));
        }
    }
    // In storage both are greatest, as zeros are what nothing has been added to.
    if WANT_MIN && least != 0xffffffffu {
        atomicMax(&states[state + LEAST], ~least);
    }
    if WANT_MAX && most != 0u {
        atomicMax(&states[state + MOST], most);
    }
}

// Returns the window that holds the most values of a sample, if `wanted` is true. Each invocation gives one value. All invocations call it: it
// has barriers.
fn chosen_window(wanted: bool, bits: u32, lid: u32) -> u32 {
#ifdef float
    if wanted && lid < SAMPLES {
        sample[lid] = exponent_of(vec4<u32>(bits)).x;
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

// Begins an empty table. A barrier has to follow.
fn begin_table(lid: u32) {
    copy = lid & (COPIES - 1u);
    for (var i = lid; i < SLOTS; i += WG) {
        atomicStore(&table[i], select(0u, 0xffffffffu, WANT_MIN && i - LEAST_PLANE < PLANE));
    }
}

// Moves groups whose room is half used, or all, and sets the next window.
fn flush_full_groups(moves_all: bool, next: u32, lid: u32) {
    for (var slot = lid; slot < mine; slot += WG) {
        if moves_all || next != window || is_busy(slot) {
            move_sum(slot, lid);
        }
    }
    window = next;
}

// The number of misses in `steps` steps after which another window is chosen.
fn most_misses(steps: u32) -> u32 {
    return steps * (WG / 4u);
}
