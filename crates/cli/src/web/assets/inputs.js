// Elements to compute with: pseudo-random, the same every time, such that an operator has something to say about them.
"use strict";

// A well-mixed word for every index.
function scramble(index) {
  let x = (index + 0x9e3779b9) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

// Elements of a type as the GPU gets them (`bytes`), and as numbers for the verifier (`values`).
function makeElements(op, type, n) {
  const words = new Uint32Array(n);
  for (let i = 0; i < n; i += 1) words[i] = integerFor(op, scramble(i), i, n);
  if (type === "u32") return { bytes: words, values: words };
  if (type === "i32") return { bytes: words, values: new Int32Array(words.buffer) };
  const values = new Float32Array(n);
  if (type === "f16") {
    const halves = new Uint16Array(n);
    for (let i = 0; i < n; i += 1) {
      // Whole numbers of 2^-10 between -1 and 1 are halves as they stand.
      const k = (words[i] >>> 21) - 1024;
      values[i] = k / 1024;
      halves[i] = halfOf(k);
    }
    return { bytes: halves, values };
  }
  for (let i = 0; i < n; i += 1) values[i] = floatFor(op, words[i], i, n);
  return { bytes: values, values };
}

function integerFor(op, word, index, n) {
  switch (op) {
    // Odd ones: a product of others soon has no bits left.
    case "product":
    case "wide-product":
      return word | 1;
    // Bits that all have, that none has.
    case "and":
      return word | 0x00a500f0;
    case "or":
      return word & 0x0f0f1248;
    case "count":
      return word % 3 ? word : 0;
    case "any":
      return index === Math.floor(n / 3) ? 1 : 0;
    case "all":
      return index === Math.floor(n / 3) ? 0 : word | 1;
    default:
      return word;
  }
}

function floatFor(op, word, index, n) {
  switch (op) {
    case "count":
    case "any":
    case "all":
      return word === 0 ? 0 : 1 + (word >>> 9) / 2 ** 23;
    // Signs, and few enough twos and halves that no order of multiplications leaves the range.
    case "product": {
      const every = Math.floor(n / 50) + 1;
      const magnitude = index % every ? 1 : (index / every) % 2 ? 0.5 : 2;
      return word & 2 ? magnitude : -magnitude;
    }
    case "geometric-mean":
      return (word & 1 ? 0.5 : 1) * (1 + (word >>> 9) / 2 ** 23);
    // Whole numbers of 2^-23 between -1 and 1: a sum of them is exact in 64 bits.
    default:
      return (word >>> 8) / 2 ** 23 - 1;
  }
}

// The bits of k / 1024 as a half, for |k| <= 1024.
function halfOf(k) {
  if (k === 0) return 0;
  const magnitude = Math.abs(k);
  const exponent = 31 - Math.clz32(magnitude);
  const fraction = (magnitude << (10 - exponent)) & 0x3ff;
  return (k < 0 ? 0x8000 : 0) | ((exponent - 10 + 15) << 10) | fraction;
}
