// An integer key is the index of its bin. A key of BINS or more belongs to no bin: the counting code compares
// indices anyway. The bins of floats are ranges (ranges.wgsl).

fn bin_of(word: u32) -> u32 {
    return word;
}
