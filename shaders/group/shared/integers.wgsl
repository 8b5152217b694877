// Values as integers: a float is a significand of 24 bits at the place of its exponent.
#import group/shared/io
#import group/shared/keys
#import group/shared/states
#import lib/lane/full_product

// All ones for negative values.
fn minus_of(bits: vec4<u32>) -> vec4<u32> {
#ifdef float
    return bitcast<vec4<u32>>(bitcast<vec4<i32>>(bits) >> vec4<u32>(31u));
#else
#ifdef signed
    return bitcast<vec4<u32>>(bitcast<vec4<i32>>(bits) >> vec4<u32>(31u));
#else
    return vec4<u32>(0u);
#endif
#endif
}

fn significand_of(bits: vec4<u32>) -> vec4<u32> {
#ifdef float
    let first = select(vec4<u32>(0u), vec4<u32>(0x800000u), (bits & vec4<u32>(0x7f800000u)) != vec4<u32>(0u));
    return (bits & vec4<u32>(0x7fffffu)) | first;
#else
    let minus = minus_of(bits);
    return (bits ^ minus) - minus;
#endif
}

// The exponent fields, of subnormal numbers that of the smallest normal one.
fn exponent_of(bits: vec4<u32>) -> vec4<u32> { return max((bits >> vec4<u32>(23u)) & vec4<u32>(0xffu), vec4<u32>(1u)); }

// Adds a pair to its group's state in storage.
fn add_pair(id: u32, bits: u32) {
    if id >= GROUPS {
        return;
    }
    let state = state_of(id);
    atomicAdd(&states[state + COUNT], 1u);
    if SUMS {
        add_apart(id, bits);
    }
    if WANT_MIN {
        atomicMax(&states[state + LEAST], ~least_key(bits));
    }
    if WANT_MAX {
        atomicMax(&states[state + MOST], most_key(bits));
    }
}

// Adds a value to a group's sum in storage, and its square.
fn add_apart(id: u32, bits: u32) {
    let number = vec4<u32>(bits);
#ifdef float
    if bits == 0x80000000u {
        atomicAdd(&states[state_of(id) + ZEROS], 1u);
        return;
    }
    if is_no_number(bits) {
        raise(id, HAS_NAN);
        return;
    }
    if (bits & 0x7fffffffu) == 0x7f800000u {
        raise(id, select(HAS_PLUS_INFINITY, HAS_MINUS_INFINITY, bits > 0x80000000u));
        return;
    }
    let p = exponent_of(number).x - 1u;
#else
    let p = UNIT;
#endif
    let significand = significand_of(number).x;
    add_magnitude(id, minus_of(number).x & 1u, p, vec3<u32>(significand, 0u, 0u));
    if SQUARES {
        add_magnitude(id, SQUARE_SIGN, 2u * p, vec3<u32>(full_product(significand, significand), 0u));
    }
}
