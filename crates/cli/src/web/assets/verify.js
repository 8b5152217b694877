// Elements, and their expected results by arithmetic of another kind: one element after the other, in 64-bit floats.
//
// Float elements are whole numbers of 2^-23 between -1 and 1, so 64 bits hold their sums exactly. The GPU's sums may differ by a bound
// that follows from the elements and from the depth of the plan's tree.

// Half a unit in the last place of 1, and the smallest normal value, of 32-bit floats: what the GPU accumulates in.
const [UNIT, SMALLEST] = [2 ** -24, 2 ** -126];
const ARRAYS = { u32: Uint32Array, i32: Int32Array, f32: Float32Array };

// A well-mixed word for every index.
const mixed = (x, factor) => Math.imul(x ^ (x >>> 15), factor);
const scramble = (index) => [0x21f0aaad, 0x735a2d97, 1].reduce(mixed, index + 0x9e3779b9) >>> 0;

// Pseudo-random elements of a type, the same every time.
const makeElements = (type, n) =>
  new ARRAYS[type](n).map((_, index) => (type === "f32" ? (scramble(index) >>> 8) / 2 ** 23 - 1 : scramble(index)));

const exactly = (value) => ({ value, bound: () => 0 });
const wrapped = (type, x) => exactly(type === "i32" ? x | 0 : x >>> 0);

// The result of each operator: a number, and the error that a tree of some depth may have.
const EXPECTED = {
  sum(values, type) {
    if (type !== "f32") return wrapped(type, values.reduce((sum, x) => (sum + x) % 2 ** 32, 0));
    const magnitude = values.reduce((sum, x) => sum + Math.abs(x), 0);
    return { value: values.reduce((sum, x) => sum + x, 0), bound: (depth) => UNIT * magnitude * depth + SMALLEST * values.length };
  },
  // Without rounding: the float nearest to the sum, and no bound.
  exact: (values, type) => exactly(Math.fround(EXPECTED.sum(values, type).value)),
  min: (values) => exactly(values.reduce((a, b) => Math.min(a, b))),
  xor: (values, type) => wrapped(type, values.reduce((word, x) => word ^ x, 0)),
};

// Why the result in the bytes of an output is wrong; null if it is right. NaN is wrong.
function mismatch({ value, bound }, type, bytes, depth) {
  const [got] = new ARRAYS[type](bytes);
  return Math.abs(got - value) <= bound(depth) ? null : `got ${got}, expected ${value} ± ${bound(depth).toExponential(2)}`;
}
