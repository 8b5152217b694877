// The elements of the input: words, and vectors of four elements.
#import rank/keys/*

@group(0) @binding(0) var<storage, read> words: array<InputWord>;
#ifdef bits_64
// A binding may be shorter than four elements.
@group(0) @binding(3) var<storage, read> vectors: array<vec4<u32>>;

fn vector(at: u32) -> InputVector { return InputVector(vectors[2u * at], vectors[2u * at + 1u]); }
#else
@group(0) @binding(3) var<storage, read> vectors: array<InputVector>;

fn vector(at: u32) -> InputVector { return vectors[at]; }
#endif

// The key of an element.
fn element(at: u32) -> Key { return key_of(element_in(words[word_with(at)], at)); }
