// Elements to compute with: pseudo-random, the same every time.
"use strict";

// A well-mixed word for every index.
function scramble(index) {
  let x = (index + 0x9e3779b9) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

// Elements of a type as the GPU gets them (`bytes`), and as numbers for the verifier (`values`).
function makeElements(type, n) {
  const words = new Uint32Array(n);
  for (let i = 0; i < n; i += 1) words[i] = scramble(i);
  if (type === "u32") return { bytes: words, values: words };
  if (type === "i32") return { bytes: words, values: new Int32Array(words.buffer) };
  const values = new Float32Array(n);
  // Whole numbers of 2^-23 between -1 and 1: a sum of them is exact in 64 bits.
  for (let i = 0; i < n; i += 1) values[i] = (words[i] >>> 8) / 2 ** 23 - 1;
  return { bytes: values, values };
}
