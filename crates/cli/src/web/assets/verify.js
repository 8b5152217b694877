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

// Some of the elements: `count` from `start` on, `step` apart.
class Part {
  constructor(values, start, count, step) { Object.assign(this, { values, start, count, step }); }

  each(see) {
    const { values, start, count, step } = this;
    for (let k = 0, i = start; k < count; k += 1, i += step) see(values[i], k);
  }

  total(term) {
    const total = new Total();
    this.each((x) => total.add(term(x)));
    return total.value;
  }

  // The exact sum of integers: upper and lower halves of words stay below 2^53.
  integer(term = (x) => x) {
    let [upper, lower] = [0, 0];
    this.each((x) => {
      const y = term(x);
      const low = y - Math.floor(y / 65536) * 65536;
      lower += low;
      upper += (y - low) / 65536;
    });
    return BigInt(upper) * 65536n + BigInt(lower);
  }

  // The first element that none is better than, and where it is.
  best(isBetter) {
    let [found, at] = [this.values[this.start], 0];
    this.each((x, k) => { if (isBetter(x, found)) [found, at] = [x, k]; });
    return [found, at];
  }
}

const exactly = (...values) => ({ values });
// The tolerance of a plan of this depth: `fixed + linear * depth + quadratic * depth^2`; of a root, before it was drawn.
const within = (exact, { fixed = 0, linear = 0, quadratic = 0, root = 0 }) => ({ exact, fixed, linear, quadratic, root });

// The error of a sum: half a unit of a partial sum an addition, and whatever is flushed to zero.
const additions = (magnitude, n) => ({ linear: UNIT * magnitude, fixed: SMALLEST * n });

const wrapped = (type, x) => Number(type === "i32" ? BigInt.asIntN(32, x) : BigInt.asUintN(32, x));

// The result of each operator over a part of the elements.
const EXPECTED = {
  sum: (part, type) => isFloat(type) ? floatSum(part, (x) => x, 0) : exactly(wrapped(type, part.integer())),
  // The page gives it the same input twice.
  dot: (part) => floatSum(part, (x) => x * x, 2),
  product: (part, type) => exactly(isFloat(type) ? floatProduct(part) : wrapped(type, integerProduct(part, 32))),
  "wide-sum": (part) => exactly(part.integer()),
  "wide-product": (part, type) => {
    const product = integerProduct(part, 64);
    return exactly(type === "i32" ? BigInt.asIntN(64, product) : product);
  },
  min: (part) => exactly(part.best((x, y) => x < y)[0]),
  max: (part) => exactly(part.best((x, y) => x > y)[0]),
  "min-max": (part) => exactly(part.best((x, y) => x < y)[0], part.best((x, y) => x > y)[0]),
  "arg-min": (part) => exactly(...part.best((x, y) => x < y)),
  "arg-max": (part) => exactly(...part.best((x, y) => x > y)),
  "max-norm": (part) => exactly(Math.abs(part.best((x, y) => Math.abs(x) > Math.abs(y))[0])),
  l1: (part, type) => isFloat(type) ? floatSum(part, Math.abs, 0) : exactly(part.integer(Math.abs)),
  l2: (part) => {
    const sum = part.total((x) => x * x);
    const { linear, fixed } = additions(sum, part.count);
    return within(sum, { linear, fixed: fixed + 2 * UNIT * sum, root: 8 * UNIT });
  },
  mean: (part, type) => {
    if (!isFloat(type)) return exactly(nearest(part.integer(), part.count));
    const [sum, n] = [part.total((x) => x), part.count];
    const { linear, fixed } = additions(part.total(Math.abs), n);
    return within(sum / n, { linear: linear / n, fixed: fixed / n + 8 * UNIT * Math.abs(sum / n) + SMALLEST });
  },
  variance: (part, type) => variance(part, type, 0, 0),
  "sample-variance": (part, type) => variance(part, type, 1, 0),
  std: (part, type) => variance(part, type, 0, 8 * UNIT),
  "sample-std": (part, type) => variance(part, type, 1, 8 * UNIT),
  count: (part) => exactly(Number(part.integer((x) => (x !== 0 ? 1 : 0)))),
  any: (part) => exactly(Number(part.integer((x) => (x !== 0 ? 1 : 0)) > 0n)),
  all: (part) => exactly(Number(part.integer((x) => (x === 0 ? 1 : 0)) === 0n)),
  and: (part, type) => exactly(bits(part, type, (ones, n) => ones === n)),
  or: (part, type) => exactly(bits(part, type, (ones) => ones > 0)),
  xor: (part, type) => exactly(bits(part, type, (ones) => ones % 2 === 1)),
  // An error of the sum, relative, is one of its logarithm, absolute: each exponential is off by some units, each merge rounds.
  "log-sum-exp": (part) => {
    const peak = part.best((x, y) => x > y)[0];
    const exact = peak + Math.log(part.total((x) => Math.exp(x - peak)));
    const [unit, log] = [2 * UNIT, Math.log(part.count)];
    return within(exact, {
      fixed: unit * (3 + 5 + 3 * log) + 2 ** -21 + 3 * unit * log + unit * Math.abs(exact), linear: 4 * unit,
    });
  },
  // An error of the mean of logarithms, absolute, is one of the result, relative.
  "geometric-mean": (part) => {
    const [log, size] = [part.total(Math.log) / part.count, part.total((x) => Math.abs(Math.log(x))) / part.count];
    const [exact, unit] = [Math.exp(log), 2 * UNIT];
    const relative = 3 * unit * size + 2 ** -21 + unit * (5 + 6 * Math.abs(log));
    return within(exact, { fixed: 1.1 * exact * relative + SMALLEST, linear: 1.1 * exact * UNIT * size });
  },
  // Of an input with itself.
  covariance: (part, type) => variance(part, type, 0, 0),
  correlation: () => within(1, { fixed: 16 * UNIT, linear: 16 * UNIT }),
  "weighted-mean": (part) => {
    const [sum, all, size] = [part.total((x) => x * x), part.total((x) => x), part.total(Math.abs)];
    const exact = sum / all;
    const moved = 2 * UNIT * (sum + Math.abs(exact) * size) / Math.abs(all);
    return within(exact, { fixed: 2 * moved + 8 * UNIT * Math.abs(exact) + SMALLEST * part.count, linear: moved });
  },
  skewness: (part) => standardized(part, 3, 0),
  kurtosis: (part) => standardized(part, 4, 3),
};

function isFloat(type) { return type === "f32" || type === "f16"; }

// A sum of terms that are each rounded so many half units.
function floatSum(part, term, roundings) {
  const magnitude = part.total((x) => Math.abs(term(x)));
  const { linear, fixed } = additions(magnitude, part.count);
  return within(part.total(term), { linear, fixed: fixed + roundings * UNIT * magnitude });
}

// Powers of two: exact in whatever order.
function floatProduct(part) {
  let product = 1;
  part.each((x) => { product *= x; });
  return product;
}

function integerProduct(part, width) {
  let product = 1n;
  part.each((x) => { product = BigInt.asUintN(width, product * BigInt(x)); });
  return product;
}

// Counts the elements that have each bit, and sets the bits for which `isSet` says so.
function bits(part, type, isSet) {
  const ones = new Array(32).fill(0);
  part.each((x) => { for (let bit = 0; bit < 32; bit += 1) ones[bit] += (x >>> bit) & 1; });
  const word = ones.reduce((word, count, bit) => word + (isSet(count, part.count) ? 2 ** bit : 0), 0);
  return wrapped(type, BigInt(word));
}

// The 32-bit float nearest to a fraction.
function nearest(sum, n) {
  const first = Math.fround(Number(sum) / n);
  if (sum === 0n) return 0;
  const word = new Uint32Array(new Float32Array([first]).buffer)[0];
  const near = [word - 1, word, word + 1].map((bits) => new Float32Array(new Uint32Array([bits]).buffer)[0]);
  // Scaled by a power of two all of them are integers.
  const distance = (x) => { const d = BigInt(x * 2 ** 80) * BigInt(n) - (sum << 80n); return d < 0n ? -d : d; };
  return near.reduce((best, x) => (distance(x) < distance(best) ? x : best), first);
}

// Distances from the mean, in two passes. The bound of floats is that of running means: with E the error of a mean, a square
// around it is off by 2 σ E + E². Of integers only the last steps round.
function variance(part, type, correction, root) {
  const [n, divisor] = [part.count, part.count - correction];
  const mean = part.total((x) => x) / n;
  const sum = part.total((x) => (x - mean) * (x - mean));
  const exact = sum / divisor;
  if (!isFloat(type)) return within(exact, { fixed: 16 * UNIT * exact, root });
  const [spread, share] = [Math.sqrt(sum / n), n / divisor];
  const step = 8 * UNIT * part.best((x, y) => Math.abs(x) > Math.abs(y)).map(Math.abs)[0];
  return within(exact, {
    fixed: 8 * UNIT * exact + share * (2 * spread * step + 2 * step * step) + SMALLEST * n,
    linear: 8 * UNIT * exact + share * 2 * spread * step,
    quadratic: share * 2 * step * step,
    root,
  });
}

// The mean power of distances from the mean, in deviations. Terms are rounded, relatively to powers of magnitudes; and with E the error of
// a mean, a mean of powers is off by their order times E and the mean of the power below.
function standardized(part, order, normal) {
  const n = part.count;
  const mean = part.total((x) => x) / n;
  const power = (order) => part.total((x) => (x - mean) ** order) / n;
  const size = (order) => part.total((x) => Math.abs(x - mean) ** order) / n;
  const spread = Math.sqrt(power(2));
  const exact = power(order) / spread ** order;
  const step = 8 * UNIT * part.best((x, y) => Math.abs(x) > Math.abs(y)).map(Math.abs)[0];
  const moved = (32 * UNIT * size(order) + 2 * order * step * size(order - 1)) / spread ** order;
  const each = 2 * moved + order * Math.abs(exact) * (8 * UNIT + 2 * step / spread);
  return within(exact - normal, { fixed: each + 16 * UNIT * (Math.abs(exact) + 4), linear: each });
}

// The fault of a result; nothing if it is right.
function mismatch(expected, got, depth) {
  if (expected.values) {
    const isSame = expected.values.every((value, k) => value === got[k]);
    return isSame ? null : `got ${got.join(", ")}, expected ${expected.values.join(", ")}`;
  }
  let { exact } = expected;
  let distance = expected.fixed + expected.linear * depth + expected.quadratic * depth * depth;
  if (expected.root) {
    const drawn = Math.sqrt(exact);
    // |√a - √b| is at most √|a - b|, and |a - b| / √b.
    distance = (drawn > 0 ? Math.min(Math.sqrt(distance), distance / drawn) : Math.sqrt(distance)) + expected.root * drawn;
    exact = drawn;
  }
  // Written so that NaN is wrong.
  return Math.abs(got[0] - exact) <= distance ? null : `got ${got[0]}, expected ${exact} ± ${distance.toExponential(2)}`;
}

// The numbers of one result in the bytes of an output.
function readResult(op, type, view, at) {
  const own = (at) => ({
    u32: () => view.getUint32(at, true), i32: () => view.getInt32(at, true), u64: () => view.getBigUint64(at, true),
    i64: () => view.getBigInt64(at, true), f32: () => view.getFloat32(at, true), f16: () => view.getFloat32(at, true),
  });
  const integers = !isFloat(type);
  switch (op) {
    case "min-max": return [own(at)[type](), own(at + 4)[type]()];
    case "arg-min":
    case "arg-max": return [own(at)[type](), view.getUint32(at + 4, true)];
    case "wide-sum":
    case "wide-product": return [own(at)[type === "i32" ? "i64" : "u64"]()];
    case "l1": return [own(at)[integers ? "u64" : "f32"]()];
    case "max-norm": return [own(at)[integers ? "u32" : "f32"]()];
    case "count":
    case "any":
    case "all": return [view.getUint32(at, true)];
    case "sum":
    case "product":
    case "min":
    case "max":
    case "dot":
    case "and":
    case "or":
    case "xor": return [own(at)[type]()];
    default: return [view.getFloat32(at, true)];
  }
}

// Judges all results of an operation: null, or the fault of the first wrong one. `parts` are as many as results.
function judge({ op, type, out }, parts, buffer, depth) {
  const view = new DataView(buffer);
  let at = 0;
  for (const part of parts) {
    const wrong = mismatch(EXPECTED[op](part, type), readResult(op, type, view, at * out), depth);
    if (wrong) return at > 0 ? `result ${at}: ${wrong}` : wrong;
    at += 1;
  }
  return null;
}
