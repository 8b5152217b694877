// Elements, and their expected results by arithmetic of another kind: one element after the other, in 64-bit floats.
//
// Float elements are whole numbers of 2^-23 between -1 and 1, so 64 bits hold their sums exactly. The GPU's sums may differ by a bound
// that follows from the elements and from the depth of the plan's tree.
"use strict";

// Half a unit in the last place of 1, and the smallest normal value, of 32-bit floats: what the GPU accumulates in.
const UNIT = 2 ** -24;
const SMALLEST = 2 ** -126;

// A well-mixed word for every index.
function scramble(index) {
  let x = (index + 0x9e3779b9) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

// Pseudo-random elements of a type, the same every time.
function makeElements(type, n) {
  const words = new Uint32Array(n).map((_, index) => scramble(index));
  if (type === "f32") return new Float32Array(n).map((_, index) => (words[index] >>> 8) / 2 ** 23 - 1);
  return type === "i32" ? new Int32Array(words.buffer) : words;
}

const total = (values, term) => values.reduce((sum, x) => sum + term(x), 0);
const wrapped = (type, x) => (type === "i32" ? x | 0 : x >>> 0);
const exactly = (value) => ({ value, bound: () => 0 });

// The result of each operator: numbers, and the error that a tree of some depth may have.
const EXPECTED = {
  sum(values, type) {
    if (type !== "f32") return exactly(wrapped(type, values.reduce((sum, x) => (sum + x) % 2 ** 32, 0)));
    const magnitude = total(values, Math.abs);
    return { value: total(values, (x) => x), bound: (depth) => UNIT * magnitude * depth + SMALLEST * values.length };
  },
  min: (values) => exactly(values.reduce((a, b) => Math.min(a, b))),
  xor: (values, type) => exactly(wrapped(type, values.reduce((word, x) => word ^ x, 0))),
};

// Why a result is wrong; null if it is right. NaN is wrong.
function mismatch({ value, bound }, got, depth) {
  if (Math.abs(got - value) <= bound(depth)) return null;
  return `got ${got}, expected ${value} ± ${bound(depth).toExponential(2)}`;
}

// The result in the bytes of an output.
function readResult(type, bytes) {
  return new { u32: Uint32Array, i32: Int32Array, f32: Float32Array }[type](bytes)[0];
}
