// A workgroup's table of groups: moves of its contents to storage, and the choice of its next window. tables.wgsl explains both.
#import group/shared/io
#import group/shared/integers
#import group/shared/states
#import group/squares/*
#import group/shared/table
#import group/shared/table_words

// Exponents that are looked at to choose a window.
override SAMPLES: u32 = 32u;

// The highest first exponent of a window.
const LAST_WINDOW: u32 = 230u;
// The exponents above that of a sample that its window has.
const ABOVE: u32 = 2u;
// Additions after which a sum is moved: an eighth of the room.
const MANY: u32 = 4096u;

var<workgroup> sample: array<u32, SAMPLES>;
// The window that most of a sample are in: their number, and in the lowest 8 bits the window.
var<workgroup> best: atomic<u32>;

// The upper half of a word of signed digits.
fn above(word: u32) -> u32 { return bitcast<u32>(bitcast<i32>(word) >> 16u); }

fn is_busy(slot: u32) -> bool {
    for (var c = 0u; c < COPIES; c++) {
        if (atomicLoad(&tallies[slot * COPIES + c]) & 0xffffu) >= MANY {
            return true;
        }
    }
    return false;
}

// Moves a group's number and counts to storage.
fn move_sum(slot: u32, slice: Slice, lid: u32) {
    var count = 0u;
    var zeros = 0u;
    // The lower and the upper halves of the digits: all copies of them find room.
    var lower = vec3<u32>(0u);
    var upper = vec3<u32>(0u);
    for (var c = 0u; c < COPIES; c++) {
        // Lanes begin with different copies, which lie in different banks.
        let at = slot * COPIES + ((c + lid) & (COPIES - 1u));
        let tally = atomicLoad(&tallies[at]);
        atomicStore(&tallies[at], 0u);
        count += tally & 0xffffu;
        zeros += tally >> 16u;
        if SUMS {
            let digits = vec3<u32>(atomicLoad(&low_digits[at]), atomicLoad(&middle_digits[at]), atomicLoad(&high_digits[at]));
            lower += digits & vec3<u32>(0xffffu);
            upper += vec3<u32>(above(digits.x), above(digits.y), above(digits.z));
            #for plane in low_digits middle_digits high_digits: atomicStore(&$plane[at], 0u);
        }
    }
    if count == 0u {
        return;
    }
    let id = id_of(slot, slice);
    if id >= GROUPS {
        add_rejected(count);
        return;
    }
    atomicAdd(&states[state_of(id) + COUNT], count);
    if !SUMS {
        return;
    }
    if zeros > 0u {
        atomicAdd(&states[state_of(id) + ZEROS], zeros);
    }
    move_squares(id, slot, slice, lid);
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
    add_magnitude(id, minus & 1u, slice.window - 1u, magnitude);
#else
    add_magnitude(id, minus & 1u, UNIT, magnitude);
#endif
}

// Moves the least key of a group, inverted, and the greatest. Zeros are what nothing has been added to.
fn move_keys(slot: u32, slice: Slice) {
    var keys = vec2<u32>();
    for (var c = 0u; c < COPIES; c++) {
        let at = slot * COPIES + c;
        if WANT_MIN {
            keys.x = max(keys.x, atomicExchange(&others[at], 0u));
        }
        if WANT_MAX {
            keys.y = max(keys.y, atomicExchange(&others[MOST_PLANE + at], 0u));
        }
    }
    let id = id_of(slot, slice);
    if keys.x != 0u && id < GROUPS {
        atomicMax(&states[state_of(id) + LEAST], keys.x);
    }
    if keys.y != 0u && id < GROUPS {
        atomicMax(&states[state_of(id) + MOST], keys.y);
    }
}

// Puts a value of each invocation into the sample for the next window. A barrier has to follow.
fn put_sample(bits: u32, lid: u32) {
#ifdef float
    if lid < SAMPLES {
        sample[lid] = exponent_of(vec4<u32>(bits)).x;
    }
    if lid == 0u {
        atomicStore(&best, 0u);
    }
#endif
}

// Chooses the window of most values in the sample if `has_missed` is true; otherwise `window` stays. The function has a barrier, so all
// invocations call it. A barrier has to follow.
fn chosen_window(window: u32, has_missed: bool, lid: u32) -> u32 {
#ifdef float
    if has_missed && lid < SAMPLES {
        let candidate = clamp(sample[lid] + ABOVE, SPAN + 1u, LAST_WINDOW + SPAN) - SPAN;
        var number = 0u;
        for (var i = 0u; i < SAMPLES; i++) {
            number += select(0u, 1u, sample[i] - candidate <= SPAN);
        }
        atomicMax(&best, (number << 8u) | candidate);
    }
    workgroupBarrier();
    if lid == 0u {
        atomicStore(&misses, 0u);
    }
    return select(window, atomicLoad(&best) & 0xffu, has_missed);
#else
    return 0u;
#endif
}

// Begins an empty table. A barrier has to follow.
fn begin_table(lid: u32) {
    begin_slots(lid);
    for (var i = lid; i < PLANE; i += WG) {
        atomicStore(&tallies[i], 0u);
    }
    for (var i = lid; i < SUM_PLANE; i += WG) {
        #for plane in low_digits middle_digits high_digits: atomicStore(&$plane[i], 0u);
    }
    for (var i = lid; i < OTHER_PLANES; i += WG) {
        atomicStore(&others[i], 0u);
    }
}

// Moves sums of many additions; all before another window, and at the end, with the keys. Barriers have to be around.
fn move_groups(is_end: bool, slice: Slice, next_window: u32, lid: u32) {
    for (var slot = lid; slot < slice.groups; slot += WG) {
        if is_end || next_window != slice.window || is_busy(slot) {
            move_sum(slot, slice, lid);
        }
        if is_end {
            move_keys(slot, slice);
        }
    }
}

// The number of misses in `steps` steps after which another window is chosen.
fn most_misses(steps: u32) -> u32 { return steps * (WG / 4u); }
