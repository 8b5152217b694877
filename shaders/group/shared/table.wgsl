// A workgroup's table of groups: additions to it. tables.wgsl explains them.
#import group/shared/io
#import group/shared/keys
#import group/shared/integers
#import group/shared/pairs
#import group/slots/*
#import group/squares/*
#import group/shared/table_words

var<workgroup> misses: atomic<u32>;

// Digits of four numbers, the highest with the sign.
struct Digits {
    #for digit in low middle high: $digit: vec4<u32>,
}

// The digits of values in the window, and zeros for others.
fn digits_of(bits: vec4<u32>, has: vec4<bool>, window: u32) -> Digits {
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

fn across(v: vec4<u32>) -> u32 { return v.x + v.y + v.z + v.w; }
fn is_added(digit: u32) -> bool { return !SKIPS_ZEROS || digit != 0u; }

// Adds `tally` numbers to the table, at a copy of a group, by the sums of their digits.
fn add(at: u32, tally: u32, digits: vec3<u32>) {
    atomicAdd(&tallies[at], tally);
    if SUMS {
        if is_added(digits.x) { atomicAdd(&low_digits[at], digits.x); }
        if is_added(digits.y) { atomicAdd(&middle_digits[at], digits.y); }
        if is_added(digits.z) { atomicAdd(&high_digits[at], digits.z); }
    }
}

fn add_keys(at: u32, bits: u32) {
    if WANT_MIN {
        atomicMax(&others[at], ~least_key(bits));
    }
    if WANT_MAX {
        atomicMax(&others[MOST_PLANE + at], most_key(bits));
    }
}

// Slow path: adds values outside the window. A loop, not unrolled, to keep the code small.
fn add_misses(four: vec4<u32>, bits: vec4<u32>, missed: vec4<bool>, slice: Slice) {
    var slots = four;
    var left = bits;
    var flags = missed;
    // No dispatch has 2^31 workgroups, which no compiler knows.
    let count = 4u + (params.groups >> 31u);
    for (var i = 0u; i < count; i++) {
        if flags.x && left.x == 0x80000000u {
            atomicAdd(&tallies[slots.x * COPIES + slice.copy], 0x10000u);
        } else if flags.x {
            atomicAdd(&misses, 1u);
            add_apart(id_of(slots.x, slice), left.x);
        }
        slots = slots.yzwx;
        left = left.yzwx;
        flags = flags.yzwx;
    }
}

// Adds the pairs of a slice. Returns whether all four are.
fn visit(four: FourPairs, slice: Slice) -> bool {
    let slots = slots_of(four, slice);
    let here = slots < vec4<u32>(slice.groups);
    let at = slots * COPIES + slice.copy;
    var digits = Digits(vec4<u32>(0u), vec4<u32>(0u), vec4<u32>(0u));
    if SUMS {
        let has = in_window(four.bits, slice.window);
        digits = digits_of(four.bits, has, slice.window);
        let missed = here & !has & (four.bits != vec4<u32>(0u));
        if any(missed) {
            add_misses(slots, four.bits, missed, slice);
        }
    }
    visit_squares(four.bits, slots, here, slice);
    if all(slots.xyz == slots.yzw) && here.x {
        add(at.x, 4u, vec3<u32>(across(digits.low), across(digits.middle), across(digits.high)));
        #for c in x y z w: add_keys(at.x, four.bits.$c);
    } else {
#for c in x y z w
        if here.$c {
            add(at.$c, 1u, vec3<u32>(digits.low.$c, digits.middle.$c, digits.high.$c));
            add_keys(at.$c, four.bits.$c);
        }
#end
    }
    return all(here);
}
