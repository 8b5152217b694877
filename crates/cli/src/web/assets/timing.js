// Time: the GPU's timestamps where it tells, else the clock around batches.
//
// A sample is one pass that repeats the work until it lasts 10 ms or more: browsers round timestamps to 0.1 ms, and Apple's step by
// 65.5 µs. Without timestamps a sample is a batch from submission to completion, some milliseconds of which are the browser's own
// way there and back: those batches are longer.
"use strict";

// Milliseconds of a sample, by the GPU's clock and by the host's.
const STAMPED = 10;
const BATCHED = 40;

// Milliseconds that a GPU is loaded before the first sample: an idle one is slow to raise its clock.
const WARM_UP = 120;

// Samples wanted, and what all of them may take; a software adapter has no clock to raise and less time.
const SAMPLES = 9;
const FEWEST = 3;
const MOST_MS = 900;
const MOST_REPEATS = 4096;

// Waits until the tab is in the foreground: in the background browsers slow everything down.
function visible() {
  if (document.visibilityState === "visible") return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener("visibilitychange", () => resolve(visible()), { once: true });
  });
}

// Work that counts only if the tab was in the foreground throughout: it is done again otherwise.
async function undisturbed(work) {
  for (;;) {
    await visible();
    let wasHidden = false;
    const note = () => { wasHidden = true; };
    document.addEventListener("visibilitychange", note);
    try {
      const answer = await work();
      if (!wasHidden) return answer;
    } finally {
      document.removeEventListener("visibilitychange", note);
    }
  }
}

// Measures the time of `dispatches`: milliseconds of one repetition.
function measure(gpu, dispatches) {
  return undisturbed(async () => {
    const once = await settle(gpu, dispatches);
    if (gpu.hasStamps) {
      const ms = await stamped(gpu, dispatches, once);
      if (ms) return { ...summary(ms), timing: "gpu" };
      gpu.hasStamps = false;
    }
    return { ...summary(await batched(gpu, dispatches, once)), timing: "wall" };
  });
}

// Loads the GPU and returns the approximate time of one repetition.
async function settle(gpu, dispatches) {
  let best = await batch(gpu, dispatches, 1);
  if (gpu.isSoftware) return best;
  const start = performance.now();
  while (performance.now() - start < WARM_UP) {
    const repeats = repeatsFor(best, WARM_UP / 4);
    best = Math.min(best, (await batch(gpu, dispatches, repeats)) / repeats);
  }
  return best;
}

// The number of repetitions that last so long. If one takes mostly the browser's own time, there are too few: the caller
// checks the result.
function repeatsFor(once, ms) {
  return Math.min(MOST_REPEATS, Math.max(1, Math.ceil(ms / Math.max(once, 1e-4))));
}

function samplesFor(ms) {
  return Math.max(FEWEST, Math.min(SAMPLES, Math.floor(MOST_MS / ms)));
}

// Milliseconds from submission to completion of this many repetitions.
async function batch({ device }, dispatches, repeats) {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  for (let k = 0; k < repeats; k += 1) record(pass, dispatches);
  pass.end();
  const commands = encoder.finish();
  const start = performance.now();
  device.queue.submit([commands]);
  await device.queue.onSubmittedWorkDone();
  return performance.now() - start;
}

// Samples by the host's clock.
async function batched(gpu, dispatches, once) {
  let repeats = repeatsFor(once, BATCHED);
  let ms = await batch(gpu, dispatches, repeats);
  while (ms < BATCHED && repeats < MOST_REPEATS) {
    repeats = Math.min(MOST_REPEATS, Math.ceil(repeats * Math.max(1.5, (1.1 * BATCHED) / ms)));
    ms = await batch(gpu, dispatches, repeats);
  }
  const samples = [];
  for (let k = samplesFor(ms); k > 0; k -= 1) samples.push((await batch(gpu, dispatches, repeats)) / repeats);
  return samples;
}

// Samples by timestamps; null if they make no sense: zero, or backwards.
async function stamped(gpu, dispatches, once) {
  let repeats = repeatsFor(once, STAMPED);
  for (;;) {
    const [first] = (await passes(gpu, dispatches, repeats, 1)) ?? [];
    if (first === undefined) return null;
    if (first >= STAMPED || repeats >= MOST_REPEATS) {
      const ms = await passes(gpu, dispatches, repeats, samplesFor(first));
      return ms && ms.map((sample) => sample / repeats);
    }
    repeats = Math.min(MOST_REPEATS, Math.ceil(repeats * Math.max(1.5, (1.1 * STAMPED) / first)));
  }
}

// Milliseconds of some passes behind one another. The timestamps are resolved in a second submission, as on macOS they may read as
// zeros in the same one.
async function passes(gpu, dispatches, repeats, count) {
  const { device } = gpu;
  const querySet = device.createQuerySet({ type: "timestamp", count: 2 * count });
  const encoder = device.createCommandEncoder();
  for (let sample = 0; sample < count; sample += 1) {
    const timestampWrites = { querySet, beginningOfPassWriteIndex: 2 * sample, endOfPassWriteIndex: 2 * sample + 1 };
    const pass = encoder.beginComputePass({ timestampWrites });
    for (let k = 0; k < repeats; k += 1) record(pass, dispatches);
    pass.end();
  }
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  const resolved = device.createBuffer({ size: 16 * count, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
  const second = device.createCommandEncoder();
  second.resolveQuerySet(querySet, 0, 2 * count, resolved, 0);
  device.queue.submit([second.finish()]);
  const stamps = new BigUint64Array(await readBack(gpu, resolved, 16 * count));
  querySet.destroy();
  resolved.destroy();
  const ms = Array.from({ length: count }, (_, sample) => Number(stamps[2 * sample + 1] - stamps[2 * sample]) / 1e6);
  return ms.every((sample) => sample > 0) ? ms : null;
}

// Median, minimum and interquartile range of some samples.
function summary(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const quantile = (q) => {
    const at = q * (sorted.length - 1);
    const below = sorted[Math.floor(at)];
    return below + (sorted[Math.ceil(at)] - below) * (at % 1);
  };
  const [median, iqr] = [quantile(0.5), quantile(0.75) - quantile(0.25)];
  return { median, min: sorted[0], iqr, samples: sorted.length, spread: (100 * iqr) / median };
}
