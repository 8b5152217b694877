// Of each row, the kept elements of earlier invocations, and of all. Two rows share a word.
struct Places {
    before: vec4<u32>,
    all: vec4<u32>,
}
