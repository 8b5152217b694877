// The sixteen elements that an invocation looks at in one step: four vectors, a workgroup apart.
#import io
#import input_words
#import keys
#import four_keys

// Loads vectors before `end`, and in the place of later ones the last before it.
fn load(at: u32, end: u32) -> FourKeys {
    let last = end - 1u;
    return FourKeys(
        keys_of_four(vector(min(at, last))),
        keys_of_four(vector(min(at + WG, last))),
        keys_of_four(vector(min(at + 2u * WG, last))),
        keys_of_four(vector(min(at + 3u * WG, last))),
    );
}

// A bit for each element that exists.
fn valid_of(at: u32, end: u32) -> u32 {
    return select(0u, 0x000fu, at < end)
        | select(0u, 0x00f0u, at + WG < end)
        | select(0u, 0x0f00u, at + 2u * WG < end)
        | select(0u, 0xf000u, at + 3u * WG < end);
}
