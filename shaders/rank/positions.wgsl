// positions: the ranks of quantiles among as many elements as a count on the GPU says, and the ends of their brackets.
//
// Reads the count and what was asked. Writes an entry of 16 bytes for each rank. Otherwise the host does, in 64-bit floats. Here a position is a whole
// number and a fraction of 64 bits:
//
//     q = 0.3, n = 12, linear      0.3 · 11 = 3.3      rank 3, three tenths of the way to rank 4
//
// The product is rounded to 53 bits, as that of 64-bit floats is. Cost: one dispatch of one workgroup.
#import rank/shared/io
#import lib/lane/full_product

// A quantile has two entries: its fraction in two words, and its kind; and what is added to the product, in three words.
// A rank has it in place of the fraction.
@group(0) @binding(12) var<storage, read> asked: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> list: array<vec4<u32>>;

// Kinds: a rank, a product with the number of elements, with one less, and the last element.
const RANK: u32 = 0u;
const OF_ALL: u32 = 1u;
const OF_LAST: u32 = 2u;

// What becomes of a place between two ranks.
override METHOD: u32 = 0u;
const INTERPOLATED: u32 = 0u;
const FLOOR: u32 = 1u;
const CEILING: u32 = 2u;
const NEAREST: u32 = 3u;
const CLOSEST: u32 = 4u;
const MIDDLE: u32 = 5u;
const AVERAGED: u32 = 6u;

// True for the k first elements.
override OF_TOP: bool = false;

// Added to places, of which the least is a little below 0.
const BIAS: u32 = 2u;

const OPEN: u32 = 0xffffffffu;

struct Fixed {
    whole: u32,
    high: u32,
    low: u32,
}

fn sum(a: Fixed, b: Fixed) -> Fixed {
    let low = a.low + b.low;
    let carry = u32(low < a.low);
    let some = a.high + b.high;
    let high = some + carry;
    return Fixed(a.whole + b.whole + u32(some < a.high) + u32(high < carry), high, low);
}

// The bits below one of a fraction.
fn below(bit: u32) -> vec2<u32> {
    let some = (1u << (bit & 31u)) - 1u;
    return select(vec2(some, 0u), vec2(0xffffffffu, some), bit >= 32u);
}

// Rounds to 53 bits, ties to even: adds just less than half a unit, or half of it to an odd number, and drops the rest.
fn rounded(x: Fixed) -> Fixed {
    let zeros = select(32u + countLeadingZeros(x.low), countLeadingZeros(x.high), x.high != 0u);
    let dropped = select(11u - min(zeros, 11u), 43u - countLeadingZeros(x.whole), x.whole != 0u);
    if dropped == 0u {
        return x;
    }
    let odd = (select(x.low, x.high, dropped >= 32u) >> (dropped & 31u)) & 1u;
    let less = below(dropped - 1u);
    let more = sum(sum(x, Fixed(0u, less.y, less.x)), Fixed(0u, 0u, odd));
    let rest = below(dropped);
    return Fixed(more.whole, more.high & ~rest.y, more.low & ~rest.x);
}

// The bits of the nearest 32-bit float to a fraction.
fn as_float(x: Fixed) -> u32 {
    if (x.high | x.low) == 0u {
        return 0u;
    }
    let is_small = x.high == 0u;
    let zeros = countLeadingZeros(select(x.high, x.low, is_small));
    let next = select(x.low, 0u, is_small);
    let top = (select(x.high, x.low, is_small) << zeros) | select(0u, next >> (32u - zeros), zeros > 0u);
    let rest = ((top & 0xffu) << 1u) | u32((next << zeros) != 0u);
    let is_up = (rest > 0x100u) | ((rest == 0x100u) & ((top & 0x100u) != 0u));
    let exponent = 126u - zeros - select(0u, 32u, is_small);
    return (exponent << 23u) + (top >> 8u) - 0x800000u + u32(is_up);
}

// A rank, and the way to the next one as bits of a float, of a place.
fn by_method(place: Fixed) -> vec2<u32> {
    let is_whole = (place.high | place.low) == 0u;
    let rank = max(place.whole, BIAS) - BIAS;
    let last = params.count - 1u;
    if (place.whole < BIAS) | (rank >= last) {
        return vec2(min(rank, last), 0u);
    }
    let half = 0x3f000000u;
    let is_half = (place.high == 0x80000000u) & (place.low == 0u);
    switch METHOD {
        case FLOOR: { return vec2(rank, 0u); }
        case CEILING: { return vec2(rank + u32(!is_whole), 0u); }
        case NEAREST: {
            let is_up = ((place.high >= 0x80000000u) & !is_half) | (is_half & ((rank & 1u) == 1u));
            return vec2(rank + u32(is_up), 0u);
        }
        // The place is that of one half more.
        case CLOSEST: { return vec2(rank + u32(!is_whole | ((rank & 1u) == 0u)), 0u); }
        case MIDDLE: { return vec2(rank, select(half, 0u, is_whole)); }
        case AVERAGED: { return select(vec2(rank + 1u, 0u), vec2(rank, half), is_whole); }
        default: { return vec2(rank, as_float(place)); }
    }
}

fn position(own: u32) -> vec2<u32> {
    let first = asked[2u * own];
    if first.z == RANK {
        return vec2(select(first.x, min(first.x, max(params.count, 1u) - 1u), OF_TOP), 0u);
    }
    if (params.count == 0u) | (first.z > OF_LAST) {
        return vec2(max(params.count, 1u) - 1u, 0u);
    }
    let factor = params.count - select(0u, 1u, first.z == OF_LAST);
    let low = full_product(factor, first.x);
    let high = full_product(factor, first.y);
    let middle = high.x + low.y;
    let added = asked[2u * own + 1u];
    let place = rounded(Fixed(high.y + u32(middle < high.x), middle, low.x));
    return by_method(sum(place, Fixed(added.z, added.y, added.x)));
}

// The rank in the sample of an end of a bracket: four standard deviations, and two more, away.
fn end_of(rank: u32, is_high: bool) -> u32 {
    let size = f32(params.samples);
    let count = f32(max(params.count, 1u));
    let share = min((f32(rank) + 0.5) / count, 1.0);
    let margin = 4.0 * sqrt(size * share * (1.0 - share)) + 2.0;
    let at = share * size + select(-margin, margin, is_high);
    return select(u32(max(at, 0.0)), OPEN, (at < 0.0) | (at >= size));
}

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) lid: u32) {
    for (var own = lid; own < RANKS; own += WG) {
        let found = position(own);
        let low = select(end_of(found.x, false), OPEN, OF_TOP);
        let high = end_of(found.x + select(0u, 1u, found.y != 0u), true);
        list[own] = vec4(found, low, high);
    }
}
