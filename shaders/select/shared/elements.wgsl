// The input. What lies behind its end is zero.
#import scan/shared/io
#import <operator>

@group(0) @binding(0) var<storage, read> input: array<Elem>;

fn element_or_zero(i: u32) -> Elem {
    if i < params.len {
        return input[params.first + i];
    }
    return Elem();
}
