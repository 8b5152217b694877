// The end of an exact sum: makes a result or a state from the accumulator and the limbs.
#import lib/grid/entry
#import <operator>
#import exact/formats/*
#import shared/exact/digits
#import shared/exact/limbs
#import shared/exact/nearest
#import shared/exact/round
#import shared/exact/states

// Stores the sum of `n` elements. `total` is the workgroup's accumulator, which invocation 0 holds; `tag` is its tag. All invocations
// take part. Nothing is stored unless `works`.
fn conclude(slot: u32, works: bool, total: Acc, tag: u32, n: u32, at: Place) {
#ifdef writes_partials
    if at.lid == 0u {
        spill(total);
    }
    to_digits(at);
    for (var w = at.lid; works && w < WORDS; w += WG) {
        store_word(2u * ((params.store + slot) * WORDS + w), state_word(w, tag, n));
    }
#else
    // A mean divides all digits. A sum needs them only if something was spilled; otherwise they are in the window.
    let needs_digits = MEAN || (tag & SPILLED) != 0u;
    var is_negative = false;
    if needs_digits {
        if at.lid == 0u {
            spill(total);
        }
        to_digits(at);
        is_negative = to_magnitude(at);
    }
    if works && at.lid == 0u {
        var number: Number;
        if needs_digits {
            number = number_of_digits(is_negative);
        } else {
            number = number_in(total.sum, (total.tag & WINDOW) - LOWEST - UNDER);
        }
        let bits = result(number, tag, head_word(1u, n));
        let place = params.store + slot;
        if SIGNIFICAND == 53u {
            output[2u * place] = bits.x;
            output[2u * place + 1u] = bits.y;
        } else {
            output[place] = bits.x;
        }
    }
#endif
}

// Returns one of a state's first two words, lower half first: the format, and the number of elements.
fn head_word(w: u32, n: u32) -> vec2<u32> {
#ifdef reads_partials
    return vec2<u32>(atomicLoad(&tally[2u * w]), atomicLoad(&tally[2u * w + 1u]));
#else
    return select(vec2<u32>(1u, FORMAT), vec2<u32>(n, 0u), w == 1u);
#endif
}

#ifdef writes_partials
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

// Returns a word of a state, lower half first.
fn state_word(w: u32, tag: u32, n: u32) -> vec2<u32> {
    if w < 2u {
        return head_word(w, n);
    }
    if w < HEAD {
        return vec2<u32>((tag >> (FLAG_SHIFT + w)) & 1u, 0u);
    }
    let digit = w - HEAD;
    // The last word has the sign and all higher bits.
    return vec2<u32>(digits[digit], select(0u, digits[DIGITS], digit == DIGITS - 1u));
}
#endif
