// The digits of an accumulator that is the whole integer (operators/shared/long_sum.wgsl).

const DIGIT: u32 = 28u;
