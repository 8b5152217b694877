// finish: computes the results of each group from its state, and resets the state. Of many groups a workgroup takes `sums()`.
//
// Reads and resets a state of up to 184 bytes for each group. Writes its results:
//
//     1.5 and 2.25      count 2, sum 15 · 2^-2  →  count 2    sum 3.75    mean 1.875
//
// The exact sum, or its quotient for a mean, is rounded once (shared/exact/nearest.wgsl). Sums of integers are the lowest 32 bits.
//
// Cost: carries through the limbs of a sum, by an invocation for each digit, then rounding and, for a mean, a division, by one for each group.
#import lib/grid/entry
#import exact/sums/*
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
    let first = wg.index * sums();
    if first >= params.groups {
        return;
    }
    let number = min(sums(), params.groups - first);
    let id = first + at.lid;
    let state = state_of(id);
    var results: GroupResults;
    if at.lid < number {
        results.count = take(state + COUNT);
        if WANT_MIN {
            results.min = value_or_nan(~take(state + LEAST), 0u, 0xffffffffu, 0x7f800000u);
        }
        if WANT_MAX {
            results.max = value_or_nan(take(state + MOST), 0xffffffffu, 0u, 0xff800000u);
        }
    }
    if SUMS {
        let words = 2u * LIMBS;
        for (var i = at.lid; i < number * words; i += WG) {
            atomicStore(&limbs[i], take(state_of(first + i / words) + SUM + i % words));
        }
        to_digits(at);
#ifndef float
        let unit = min(at.lid, sums() - 1u) * LIMBS + (UNIT >> 5u);
        results.sum = (digits[unit] >> (UNIT & 31u)) | (digits[unit + 1u] << (32u - (UNIT & 31u)));
#endif
        let is_negative = to_magnitude(at);
        if at.lid < number {
            let exact = number_of_digits(at.lid, is_negative);
            let flags = take(state + FLAGS);
            var tag = select(OTHERS, 0u, take(state + ZEROS) == results.count);
            tag |= select(0u, NAN, (flags & HAS_NAN) != 0u);
            tag |= select(0u, PLUS_INFINITY, (flags & HAS_PLUS_INFINITY) != 0u);
            tag |= select(0u, MINUS_INFINITY, (flags & HAS_MINUS_INFINITY) != 0u);
            let count = vec2<u32>(results.count, 0u);
            let sum = result(at.lid, exact, tag, count).x;
#ifdef float
            results.sum = sum;
#endif
            results.mean = sum;
            if results.count == 0u {
                results.mean = quiet_nan().x;
            } else if flags == 0u && exact.end > 0u {
                results.mean = nearest_quotient(at.lid, exact, count).x | (sum & 0x80000000u);
            }
        }
    }
    if at.lid < number {
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
