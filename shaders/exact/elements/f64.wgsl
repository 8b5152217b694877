// 64-bit floats: a vector of words holds two.
#import exact/formats/*
#import shared/exact/vectors

alias Floats = Numbers;
const PER_VECTOR: u32 = 2u;
const BATCHES: u32 = 1u;

fn words_of(p: u32) -> vec2<u32> { return vec2<u32>(2u * p, 2u * p + 1u); }
fn among_zeros(words: vec2<u32>, p: u32, sign: u32) -> vec4<u32> { return vec4<u32>(words, 0u, sign << 31u); }
fn zeros(sign: u32) -> vec4<u32> { return vec4<u32>(0u, sign << 31u, 0u, sign << 31u); }
fn floats(v: vec4<u32>, half: u32) -> Floats { return Numbers(v.xz, v.yw); }

// A vector of elements that are `step` apart.
fn gathered(input_number: u32, p: u32, step: u32) -> vec4<u32> { return vec4<u32>(words_at(input_number, p), words_at(input_number, p + step)); }
