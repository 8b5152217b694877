// Squares of differences between 32-bit floats.
#import squares

const PER_VECTOR: u32 = 4u;

fn add_batch(acc: Acc, f0: Factors, f1: Factors, f2: Factors, f3: Factors) -> Acc {
    return add_numbers(acc, squares(f0.v, f0.w), squares(f1.v, f1.w), squares(f2.v, f2.w), squares(f3.v, f3.w));
}

// Both elements of pair `p`.
fn element(p: u32) -> vec2<u32> {
    return vec2<u32>(input[p], second_at(p));
}

fn largest_exponent(f: Factors) -> u32 {
    return largest_exponent_of(squares(f.v, f.w));
}
