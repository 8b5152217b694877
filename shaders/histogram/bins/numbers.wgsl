// Integers: a key is the index of its bin. The counting code ignores keys of BINS or more, because it compares indices anyway.

const GUESSES: bool = false;

fn guess(word: u32) -> u32 { return word; }
fn found(word: u32) -> u32 { return word; }
