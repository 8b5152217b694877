// Elements of two arrays, as vectors: what a batch of pairs is made of.
struct Factors {
    v: vec4<u32>,
    w: vec4<u32>,
}
