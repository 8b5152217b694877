// A hash of a number. No two numbers have the same one.
fn hash(number: u32) -> u32 {
    var x = number * 0x9e3779b1u + 0x7f4a7c15u;
    x = (x ^ (x >> 16u)) * 0x85ebca6bu;
    x = (x ^ (x >> 13u)) * 0xc2b2ae35u;
    return x ^ (x >> 16u);
}
