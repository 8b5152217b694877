// The end of an exact sum: the accumulator and the limbs become a result or a state.
#import entry
#import io
#import types
#import operator
#import format
#import exact/digits
#import exact/limbs
#import exact/nearest
#import exact/round
#import exact/states

// A mean is divided digit by digit, and states have no window.
#ifdef reads_partials
const NEEDS_DIGITS: bool = true;
#else
const NEEDS_DIGITS: bool = MEAN;
#endif

// Stores the sum of `n` elements: the accumulator of the whole workgroup, which invocation 0 holds and which has this
// tag, and what is in the limbs. All invocations take part; nothing is stored unless `works`.
fn conclude(slot: u32, works: bool, total: Acc, tag: u32, n: u32, at: Place) {
#ifdef writes_partials
    if at.lid == 0u {
        spill(total);
    }
    to_digits(at);
    for (var w = at.lid; works && w < WORDS; w += WG) {
        store_word(2u * ((params.store + slot) * WORDS + w), state_word(w, n));
    }
#else
    // If nothing was spilled, all digits are in the window.
    let needs_digits = NEEDS_DIGITS || (tag & SPILLED) != 0u;
    var is_negative = false;
    if needs_digits {
        if at.lid == 0u {
            spill(total);
        }
        to_digits(at);
        is_negative = to_magnitude(at);
    }
    if works && at.lid == 0u {
#ifdef reads_partials
        let count = vec2<u32>(atomicLoad(&tally[2]), atomicLoad(&tally[3]));
#else
        let count = vec2<u32>(n, 0u);
#endif
        var number: Number;
        if needs_digits {
            number = number_of_digits(is_negative);
        } else {
            number = number_in(total.sum, (total.tag & WINDOW) - LOWEST - UNDER);
        }
        store_number(slot, result(number, tag, count));
    }
#endif
}

#ifndef writes_partials
fn store_number(slot: u32, number: vec2<u32>) {
    if SIGNIFICAND == 53u {
        output[2u * (params.store + slot)] = number.x;
        output[2u * (params.store + slot) + 1u] = number.y;
    } else {
        output[params.store + slot] = number.x;
    }
}
#else
fn store_word(place: u32, word: vec2<u32>) {
#ifdef onto
    if params.own.onto == 1u {
        let low = output[place] + word.x;
        output[place + 1u] += word.y + select(0u, 1u, low < word.x);
        output[place] = low;
        return;
    }
#endif
    output[place] = word.x;
    output[place + 1u] = word.y;
}

fn flag(which: u32) -> vec2<u32> {
    return vec2<u32>(select(0u, 1u, (tag_of & which) != 0u), 0u);
}

// One of a state's words, its lower half first.
fn state_word(w: u32, n: u32) -> vec2<u32> {
    switch w {
#ifdef reads_partials
        case 0u: { return vec2<u32>(atomicLoad(&tally[0]), atomicLoad(&tally[1])); }
        case 1u: { return vec2<u32>(atomicLoad(&tally[2]), atomicLoad(&tally[3])); }
#else
        case 0u: { return vec2<u32>(1u, FORMAT); }
        case 1u: { return vec2<u32>(n, 0u); }
#endif
        case 2u: { return flag(NAN); }
        case 3u: { return flag(PLUS_INFINITY); }
        case 4u: { return flag(MINUS_INFINITY); }
        case 5u: { return flag(OTHERS); }
        default: {
            let digit = w - HEAD;
            // The last one has a sign, and all that is above.
            return vec2<u32>(digits[digit], select(0u, digits[DIGITS], digit == DIGITS - 1u));
        }
    }
}
#endif
