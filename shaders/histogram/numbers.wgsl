// A key is the number of its bin. One that is BINS or more belongs to none: whoever counts compares anyway.

fn bin_of(word: u32) -> u32 {
    return word;
}
