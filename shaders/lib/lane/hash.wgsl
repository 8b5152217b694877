// A hash of a number, whose highest bits are the best. No two numbers have the same one.
fn hash(number: u32) -> u32 {
    let x = number * 0x9e3779b1u + 0x7f4a7c15u;
    return (x ^ (x >> 16u)) * 0x85ebca6bu;
}

// The number of a hash: the same steps backwards.
fn unhash(hashed: u32) -> u32 {
    let x = hashed * 0xa5cb9243u;
    return ((x ^ (x >> 16u)) - 0x7f4a7c15u) * 0x0e8b2f51u;
}

// The place of a hash among `places` of them, a power of two.
fn place_of(hashed: u32, places: u32) -> u32 { return hashed >> (countLeadingZeros(places) + 1u); }
