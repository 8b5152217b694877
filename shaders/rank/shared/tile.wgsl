// The sixteen elements that an invocation looks at in one step: four vectors, a workgroup apart.
#import io
#import input
#import input_words
#import keys
#import four_keys

struct InputTile {
    a: InputVector,
    b: InputVector,
    c: InputVector,
    d: InputVector,
}

// A bit for each element that exists: all of them.
const ALL_VALID: u32 = 0xffffu;

fn load(at: u32, end: u32) -> InputTile {
    let last = max(end, 1u) - 1u;
    return InputTile(
        vector(min(at, last)),
        vector(min(at + WG, last)),
        vector(min(at + 2u * WG, last)),
        vector(min(at + 3u * WG, last)),
    );
}

fn valid_of(at: u32, end: u32) -> u32 {
    return select(0u, 0x000fu, at < end)
        | select(0u, 0x00f0u, at + WG < end)
        | select(0u, 0x0f00u, at + 2u * WG < end)
        | select(0u, 0xf000u, at + 3u * WG < end);
}

fn keys_of(tile: InputTile) -> FourKeys {
    return FourKeys(keys_of_four(tile.a), keys_of_four(tile.b), keys_of_four(tile.c), keys_of_four(tile.d));
}

// The place of the element with the lowest of some bits, counted from the first of the step.
fn place_of_lowest(bits: u32) -> u32 {
    let i = firstTrailingBit(bits);
    return (i >> 2u) * 4u * WG + (i & 3u);
}
