// The end of exact sums: makes results or states from accumulators and limbs.
#import lib/grid/entry
#import <operator>
#import exact/formats/*
#import exact/far/*
#import exact/sums/*
#import shared/exact/digits
#import shared/exact/four_digits
#import shared/exact/limbs
#import shared/exact/nearest
#import shared/exact/reduce
#import shared/exact/round
#import shared/exact/states

// Computes the digits of sums. `total` is as in `conclude`.
fn all_to_digits(total: Acc, at: Place) {
    if at.lid < sums() {
        copy_of = at.lid;
        spill(total);
    }
    to_digits(at);
}

// Stores the first `number` sums of `n` elements. `total` is the accumulator of a sum, which the invocation of its number holds; `tag` has the
// flags of all (`shared_tag`). All invocations take part.
fn conclude(slot: u32, number: u32, total: Acc, tag: u32, n: u32, at: Place) {
#ifdef writes_partials
    all_to_digits(total, at);
    for (var i = at.lid; i < number * WORDS; i += WG) {
        store_word(2u * ((params.store + slot) * WORDS + i), state_word(i / WORDS, i % WORDS, n));
    }
#else
    // A mean divides all digits. A sum needs them only if something was spilled; otherwise they are in the window.
    let needs_digits = MEAN || (tag & SPILLED) != 0u;
    var is_negative = false;
    if needs_digits {
        all_to_digits(total, at);
        is_negative = to_magnitude(at);
    }
    if at.lid < number {
        var sum: Number;
        if needs_digits {
            sum = number_of_digits(at.lid, is_negative);
        } else {
            sum = number_in(total.sum, (total.tag & WINDOW) - LOWEST - UNDER);
        }
        let bits = result(at.lid, sum, total.tag, head_word(at.lid, 1u, n));
        let place = params.store + slot + at.lid;
        if SIGNIFICAND == 53u {
            output[2u * place] = bits.x;
            output[2u * place + 1u] = bits.y;
        } else {
            output[place] = bits.x;
        }
    }
#endif
}

// Reduces the sums of all invocations, of `n` elements together, and stores the results or states of the first `number`, from this slot on. All
// invocations take part.
fn conclude_alone(slot: u32, number: u32, own: Acc, n: u32, at: Place) {
    let total = reduce_all(own, at);
    let tag = shared_tag(total, at);
    if (tag & SPILLED) != 0u {
        empty_bins(at);
        workgroupBarrier();
    }
    conclude(slot, number, total, tag, n, at);
}

// Returns one of a state's first two words, lower half first: the format, and the number of elements.
fn head_word(sum: u32, w: u32, n: u32) -> vec2<u32> {
#ifdef reads_partials
    let place = 4u * sum + 2u * w;
    return vec2<u32>(atomicLoad(&tally[place]), atomicLoad(&tally[place + 1u]));
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
fn state_word(sum: u32, w: u32, n: u32) -> vec2<u32> {
    if w < 2u {
        return head_word(sum, w, n);
    }
    if w < HEAD {
        return vec2<u32>((tags[sum] >> (FLAG_SHIFT + w)) & 1u, 0u);
    }
    let digit = w - HEAD;
    let place = sum * LIMBS + digit;
    // The last word has the sign and all higher bits.
    return vec2<u32>(digits[place], select(0u, digits[place + 1u], digit == DIGITS - 1u));
}
#endif
