// The values of an output, and whatever else has a word.
#import rank/keys/*

@group(0) @binding(1) var<storage, read_write> output: array<u32>;

fn store_value(at: u32, value: OutputValue) {
#ifdef bits_64
    output[2u * at] = value.x;
    output[2u * at + 1u] = value.y;
#else
    output[at] = value;
#endif
}
