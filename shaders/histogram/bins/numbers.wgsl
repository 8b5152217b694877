// Integers: a key is the index of its bin. A key of BINS or more belongs to no bin:
// the counting code compares indices anyway.

const GUESSES: bool = false;

fn guess(word: u32) -> u32 { return word; }
fn found(word: u32) -> u32 { return word; }
