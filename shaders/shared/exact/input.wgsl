// The input of an exact sum: words of 32 bits, whatever the elements are.
@group(0) @binding(0) var<storage, read> input: array<u32>;
