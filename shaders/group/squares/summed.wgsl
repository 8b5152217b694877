// The squares of values in a table, for variances.
//
// The square of a float in the window is an integer of 96 bits: a digit of 16 bits in each of six words, without a sign. Squares of integers
// have four digits. A word holds the sum of 2^16 such digits, twice as many as of the digits of a sum of values.
#import group/shared/io
#import group/shared/integers
#import group/shared/states
#import lib/lane/full_product
#import group/shared/table_words

// Pairs of digits.
#ifdef float
const SQUARE_WORDS: u32 = 3u;
#else
const SQUARE_WORDS: u32 = 2u;
#endif

const LOWER: vec3<u32> = vec3<u32>(0xffffu);
const UPPER: vec3<u32> = vec3<u32>(16u);

// The square of a value in the window, the lowest word first; 0 of others, which are not in the table.
fn square_in_table(bits: u32, is_in_window: bool, window: u32) -> vec3<u32> {
    let significand = select(0u, significand_of(vec4<u32>(bits)).x, is_in_window);
    let square = full_product(significand, significand);
#ifdef float
    let shift = 2u * (((bits >> 23u) - window) & 31u);
    let k = shift & 31u;
    let low = square.x << k;
    let middle = (square.y << k) | ((square.x >> 1u) >> (31u - k));
    let high = (square.y >> 1u) >> (31u - k);
    return select(vec3<u32>(low, middle, high), vec3<u32>(0u, low, middle), shift > 31u);
#else
    return vec3<u32>(square, 0u);
#endif
}

fn add_digit(at: u32, digit: u32) {
    if digit != 0u {
        atomicAdd(&others[at], digit);
    }
}

// Adds squares by the lower and the upper digits of each word.
fn add_squares(place: u32, lower: vec3<u32>, upper: vec3<u32>) {
    let at = SQUARE_PLANE + place;
    add_digit(at, lower.x);
    add_digit(at + PLANE, upper.x);
    add_digit(at + 2u * PLANE, lower.y);
    add_digit(at + 3u * PLANE, upper.y);
#ifdef float
    add_digit(at + 4u * PLANE, lower.z);
    add_digit(at + 5u * PLANE, upper.z);
#endif
}

fn visit_squares(bits: vec4<u32>, slots: vec4<u32>, here: vec4<bool>, slice: Slice) {
    let at = slots * COPIES + slice.copy;
    let has = in_window(bits, slice.window);
    #for c in x y z w: let $c = square_in_table(bits.$c, has.$c, slice.window);
    if all(slots.xyz == slots.yzw) && here.x {
        let lower = (x & LOWER) + (y & LOWER) + (z & LOWER) + (w & LOWER);
        add_squares(at.x, lower, (x >> UPPER) + (y >> UPPER) + (z >> UPPER) + (w >> UPPER));
    } else {
        #for c in x y z w: if here.$c { add_squares(at.$c, $c & LOWER, $c >> UPPER); }
    }
}

// Moves a group's sum of squares to storage: two digits at a time become a word with all copies' carries.
fn move_squares(id: u32, slot: u32, slice: Slice, lid: u32) {
#ifdef float
    let p = 2u * (slice.window - 1u);
#else
    let p = 2u * UNIT;
#endif
    let k = p & 31u;
    var carry = 0u;
    var below = 0u;
    for (var w = 0u; w < SQUARE_WORDS + 2u; w++) {
        var word = carry;
        carry = 0u;
        if w < SQUARE_WORDS {
            // Three half-words: all copies find room in each.
            var halves = vec3<u32>(word, 0u, 0u);
            for (var c = 0u; c < COPIES; c++) {
                let at = SQUARE_PLANE + 2u * w * PLANE + slot * COPIES + ((c + lid) & (COPIES - 1u));
                let lower = atomicExchange(&others[at], 0u);
                let upper = atomicExchange(&others[at + PLANE], 0u);
                halves += vec3<u32>(lower & 0xffffu, (lower >> 16u) + (upper & 0xffffu), upper >> 16u);
            }
            let middle = halves.y + (halves.x >> 16u);
            word = (halves.x & 0xffffu) | (middle << 16u);
            carry = halves.z + (middle >> 16u);
        }
        add_word(id, SQUARE_SIGN, (p >> 5u) + w, (word << k) | below);
        below = (word >> 1u) >> (31u - k);
    }
}
