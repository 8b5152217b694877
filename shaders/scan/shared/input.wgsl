// The input.
#import <operator>

@group(0) @binding(0) var<storage, read> input: array<Elem>;
