// finish: computes the results of each group from its state, a workgroup per group, and resets the state.
//
// Reads and resets a state of up to 184 bytes for each group. Writes its results:
//
//     1.5 and 2.25      count 2, sum 15 · 2^-2  →  count 2    sum 3.75    mean 1.875
//
// The exact sum, or its quotient for a mean, is rounded once (shared/exact/nearest.wgsl). Sums of integers are the lowest 32 bits.
//
// Cost: carries through the limbs of a sum, and a division for a mean, in 32 invocations.
#import lib/grid/entry
#import group/shared/io
#import shared/exact/limbs
#import shared/exact/digits
#import shared/exact/nearest
#import shared/exact/round
#import group/shared/keys
#import group/shared/states
#import <outputs>

struct GroupResults {
    count: u32,
    sum: u32,
    mean: u32,
    min: u32,
    max: u32,
    variance: u32,
    sample_variance: u32,
}

// The value of a key: NaN for the key of NaNs, and the nearest infinity for the key of no value.
fn value_or_nan(key: u32, nan: u32, none: u32, infinity: u32) -> u32 {
#ifdef float
    return select(select(value_of(key), infinity, key == none), 0x7fc00000u, key == nan);
#else
    return value_of(key);
#endif
}

fn kernel(at: Place, wg: Workgroup) {
    let id = wg.index;
    if id >= params.groups {
        return;
    }
    let state = state_of(id);
    var results: GroupResults;
    if at.lid == 0u {
        results.count = take(state + COUNT);
        if WANT_MIN {
            results.min = value_or_nan(~take(state + LEAST), 0u, 0xffffffffu, 0x7f800000u);
        }
        if WANT_MAX {
            results.max = value_or_nan(take(state + MOST), 0xffffffffu, 0u, 0xff800000u);
        }
    }
    if SUMS {
        for (var i = at.lid; i < 2u * LIMBS; i += WG) {
            atomicStore(&limbs[i], take(state + SUM + i));
        }
        to_digits(at);
#ifndef float
        results.sum = (digits[UNIT >> 5u] >> (UNIT & 31u)) | (digits[(UNIT >> 5u) + 1u] << (32u - (UNIT & 31u)));
#endif
        let is_negative = to_magnitude(at);
        if at.lid == 0u {
            let number = number_of_digits(0u, is_negative);
            let flags = take(state + FLAGS);
            var tag = select(OTHERS, 0u, take(state + ZEROS) == results.count);
            tag |= select(0u, NAN, (flags & HAS_NAN) != 0u);
            tag |= select(0u, PLUS_INFINITY, (flags & HAS_PLUS_INFINITY) != 0u);
            tag |= select(0u, MINUS_INFINITY, (flags & HAS_MINUS_INFINITY) != 0u);
            let count = vec2<u32>(results.count, 0u);
            let sum = result(0u, number, tag, count).x;
#ifdef float
            results.sum = sum;
#endif
            results.mean = sum;
            if results.count == 0u {
                results.mean = quiet_nan().x;
            } else if flags == 0u && number.end > 0u {
                results.mean = nearest_quotient(0u, number, count).x | (sum & 0x80000000u);
            }
        }
    }
    if at.lid == 0u {
        if SQUARES {
            // variance.wgsl stored them.
            results.variance = take(state + SQUARE_SUM);
            results.sample_variance = take(state + SQUARE_SUM + 1u);
        }
        store_results(id, results);
        if id == 0u {
            store_rejected(take(GROUPS * STATE));
        }
    }
}
