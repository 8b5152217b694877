// Numbers as four digits of DIGIT bits, the lowest first. Until carries are moved, digits are signed.
#import exact/formats/*
#import shared/exact/nearest

const MASK: u32 = (1u << DIGIT) - 1u;

// The carry of a signed number above a digit.
fn above(number: u32) -> u32 { return bitcast<u32>(bitcast<i32>(number) >> DIGIT); }

// Four digits as 128 bits in two's complement.
fn whole(d: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(
        d.x | (d.y << DIGIT),
        (d.y >> (32u - DIGIT)) | (d.z << (2u * DIGIT - 32u)),
        (d.z >> (64u - 2u * DIGIT)) | (d.w << (3u * DIGIT - 64u)),
        bitcast<u32>(bitcast<i32>(d.w) >> (96u - 3u * DIGIT)),
    );
}

// A number of at most DIGIT bits as digits, whose carries are to be moved: four of them, from digit `first` on. Its lowest bit is at
// `place`, counted from that of the lowest digit. `minus` is all ones for a negative number.
fn placed(m: u32, place: u32, minus: u32, first: u32) -> vec4<u32> {
    let digit = place / DIGIT;
    let k = place - digit * DIGIT;
    let lower = (((m << k) & MASK) ^ minus) - minus;
    let upper = ((m >> (DIGIT - k)) ^ minus) - minus;
    let at = vec4<u32>(first, first + 1u, first + 2u, first + 3u);
    let none = vec4<u32>(0u);
    let below = select(none, vec4<u32>(lower), at == vec4<u32>(digit));
    return below + select(none, vec4<u32>(upper), at == vec4<u32>(digit + 1u));
}

// The flag of a NaN, or of an infinity with this sign.
fn special(is_nan: bool, sign: u32) -> u32 { return OTHERS | select(select(PLUS_INFINITY, MINUS_INFINITY, sign != 0u), NAN, is_nan); }

// Returns the number of four digits. Bit 0 of the lowest digit is at `place`.
fn number_in(four: vec4<u32>, place: u32) -> Number {
    let bits = whole(four);
    let sign = bits.w >> 31u;
    // The magnitude: all bits flipped and one added.
    return number_and(bits ^ vec4<u32>(0u - sign), sign, place, sign == 1u);
}
