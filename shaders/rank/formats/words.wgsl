// Elements of 32 bits.

// A word of the input, and four elements.
alias InputWord = u32;
alias InputVector = vec4<u32>;

// The bits of a key, the digits that they make, and the highest key; the bits of a float's magnitude, and infinity.
const KEY_BITS: u32 = 32u;
const DIGITS: u32 = 3u;
const HIGHEST: u32 = 0xffffffffu;
const MAGNITUDE: u32 = 0x7fffffffu;
const INFINITY: u32 = 0x7f800000u;

// The place in the input of the word that has an element, and the element in that word.
fn word_with(at: u32) -> u32 { return at; }
fn element_in(word: InputWord, at: u32) -> u32 { return word; }
fn words_of(vector: InputVector) -> vec4<u32> { return vector; }
fn output_bits(magnitude: u32) -> u32 { return magnitude; }
