// The verifier: expected results, by arithmetic of its own.
//
// Integers are exact: sums of halves of their words in 64-bit floats, put together as big integers. Floats are summed in 64 bits with
// what each addition loses carried along, one element after the other, and compared within a bound that follows from the elements and
// from the depth of the plan's tree. Nothing here is a tree, wraps or rounds to 32 bits on the way.
"use strict";

// Half a unit in the last place of 1, and the smallest normal value, of 32-bit floats: what the GPU accumulates in.
const UNIT = 2 ** -24;
const SMALLEST = 2 ** -126;

// A sum that carries along what its additions lose.
class Total {
  constructor() { this.sum = 0; this.lost = 0; }
  add(x) {
    const next = this.sum + x;
    this.lost += Math.abs(this.sum) >= Math.abs(x) ? this.sum - next + x : x - next + this.sum;
    this.sum = next;
  }
  get value() { return this.sum + this.lost; }
}

// All elements.
class Elements {
  constructor(values) { Object.assign(this, { values, count: values.length }); }

  each(see) { this.values.forEach(see); }

  total(term) {
    const total = new Total();
    this.each((x) => total.add(term(x)));
    return total.value;
  }

  // The exact sum of integers: upper and lower halves of words stay below 2^53.
  integer() {
    let [upper, lower] = [0, 0];
    this.each((x) => {
      const low = x - Math.floor(x / 65536) * 65536;
      lower += low;
      upper += (x - low) / 65536;
    });
    return BigInt(upper) * 65536n + BigInt(lower);
  }

  // The first element that none is better than, and where it is.
  best(isBetter) {
    let [found, at] = [this.values[0], 0];
    this.each((x, k) => { if (isBetter(x, found)) [found, at] = [x, k]; });
    return [found, at];
  }
}

const exactly = (...values) => ({ values });
// The tolerance of a plan of this depth: `fixed + linear * depth + quadratic * depth^2`.
const within = (exact, { fixed = 0, linear = 0, quadratic = 0 }) => ({ exact, fixed, linear, quadratic });

// The error of a sum: half a unit of a partial sum an addition, and whatever is flushed to zero.
const additions = (magnitude, n) => ({ linear: UNIT * magnitude, fixed: SMALLEST * n });

const wrapped = (type, x) => Number(type === "i32" ? BigInt.asIntN(32, x) : BigInt.asUintN(32, x));

// The result of each operator.
const EXPECTED = {
  sum: (part, type) => type === "f32" ? floatSum(part) : exactly(wrapped(type, part.integer())),
  min: (part) => exactly(part.best((x, y) => x < y)[0]),
  "arg-min": (part) => exactly(...part.best((x, y) => x < y)),
  variance,
  xor: (part, type) => {
    let word = 0;
    part.each((x) => { word ^= x; });
    return exactly(wrapped(type, BigInt(word)));
  },
};

function floatSum(part) {
  return within(part.total((x) => x), additions(part.total(Math.abs), part.count));
}

// Distances from the mean, in two passes. The bound of floats is that of running means: with E the error of a mean, a square
// around it is off by 2 σ E + E².
function variance(part) {
  const n = part.count;
  const mean = part.total((x) => x) / n;
  const exact = part.total((x) => (x - mean) * (x - mean)) / n;
  const [spread, step] = [Math.sqrt(exact), 8 * UNIT * part.best((x, y) => Math.abs(x) > Math.abs(y)).map(Math.abs)[0]];
  return within(exact, {
    fixed: 8 * UNIT * exact + 2 * spread * step + 2 * step * step + SMALLEST * n,
    linear: 8 * UNIT * exact + 2 * spread * step,
    quadratic: 2 * step * step,
  });
}

// The fault of a result; nothing if it is right.
function mismatch(expected, got, depth) {
  if (expected.values) {
    const isSame = expected.values.every((value, k) => value === got[k]);
    return isSame ? null : `got ${got.join(", ")}, expected ${expected.values.join(", ")}`;
  }
  const { exact, fixed, linear, quadratic } = expected;
  const distance = fixed + linear * depth + quadratic * depth * depth;
  // Written so that NaN is wrong.
  return Math.abs(got[0] - exact) <= distance ? null : `got ${got[0]}, expected ${exact} ± ${distance.toExponential(2)}`;
}

// The numbers of a result in the bytes of an output.
function readResult(op, type, view) {
  if (op === "variance") return [view.getFloat32(0, true)];
  const value = { u32: () => view.getUint32(0, true), i32: () => view.getInt32(0, true) }[type] ?? (() => view.getFloat32(0, true));
  return op === "arg-min" ? [value(), view.getUint32(4, true)] : [value()];
}
