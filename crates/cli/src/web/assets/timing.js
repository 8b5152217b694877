// Time: the GPU's timestamps where it has them, else the clock around batches.
//
// A sample is one pass that repeats the work until it lasts 10 ms or more: browsers round timestamps to 0.1 ms, and Apple's step by
// 65.5 µs. A batch also has some milliseconds of the browser's, so batches are longer.
"use strict";

// Milliseconds of a sample, by the GPU's clock and by the host's.
const STAMPED_MS = 10;
const BATCHED_MS = 40;

// Milliseconds that a GPU is loaded before the first sample: an idle one is slow to raise its clock. A software adapter has no clock.
const WARM_UP_MS = 120;

// Samples, and what all of them may take.
const SAMPLES = 9;
const FEWEST_SAMPLES = 3;
const MOST_MS = 900;
const MOST_REPEATS = 4096;

const isVisible = () => document.visibilityState === "visible";
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// How often the tab was shown or hidden.
let changesOfView = 0;
document.addEventListener("visibilitychange", () => { changesOfView += 1; });

// Work that counts only if the tab was in the foreground throughout: browsers slow the background down. It is done again otherwise.
async function undisturbed(work) {
  for (;;) {
    while (!isVisible()) await sleep(100);
    const before = changesOfView;
    const result = await work();
    if (before === changesOfView) return result;
  }
}

// Measures the time of `dispatches`: milliseconds of one repetition.
function measure(gpu, dispatches) {
  return undisturbed(async () => {
    const once = await settle(gpu, dispatches);
    const stamped = gpu.hasStamps && await sample(once, STAMPED_MS, (repeats, count) => passes(gpu, dispatches, repeats, count));
    if (stamped) return { ...summary(stamped), timing: "gpu" };
    gpu.hasStamps = false;
    const batched = await sample(once, BATCHED_MS, async (repeats, count) => {
      const ms = [];
      while (ms.length < count) ms.push(await submit(gpu, dispatches, repeats));
      return ms;
    });
    return { ...summary(batched), timing: "wall" };
  });
}

const repeatsFor = (once, ms) => Math.min(MOST_REPEATS, Math.max(1, Math.ceil(ms / Math.max(once, 1e-4))));

// Loads the GPU and returns the approximate time of one repetition.
async function settle(gpu, dispatches) {
  let best = await submit(gpu, dispatches);
  const start = performance.now();
  while (!gpu.isSoftware && performance.now() - start < WARM_UP_MS) {
    const repeats = repeatsFor(best, WARM_UP_MS / 4);
    best = Math.min(best, (await submit(gpu, dispatches, repeats)) / repeats);
  }
  return best;
}

// Repeats the work until a sample lasts `least` milliseconds, then takes samples of one repetition; null if the clock makes no sense.
async function sample(once, least, take) {
  let repeats = repeatsFor(once, least);
  for (;;) {
    const [first] = (await take(repeats, 1)) ?? [];
    if (first === undefined) return null;
    if (first >= least || repeats >= MOST_REPEATS) {
      const count = Math.max(FEWEST_SAMPLES, Math.min(SAMPLES, Math.floor(MOST_MS / first)));
      return (await take(repeats, count))?.map((ms) => ms / repeats) ?? null;
    }
    repeats = Math.min(MOST_REPEATS, Math.ceil(repeats * Math.max(1.5, (1.1 * least) / first)));
  }
}

// Milliseconds of some passes by timestamps; null if they are zero or go backwards. They are resolved in a second submission, as on
// macOS they may read as zeros in the same one.
async function passes(gpu, dispatches, repeats, count) {
  const { device } = gpu;
  const querySet = device.createQuerySet({ type: "timestamp", count: 2 * count });
  const encoder = device.createCommandEncoder();
  for (let at = 0; at < count; at += 1) {
    record(encoder, dispatches, repeats, { querySet, beginningOfPassWriteIndex: 2 * at, endOfPassWriteIndex: 2 * at + 1 });
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
  const ms = Array.from({ length: count }, (_, at) => Number(stamps[2 * at + 1] - stamps[2 * at]) / 1e6);
  return ms.every((one) => one > 0) ? ms : null;
}

// Median, minimum and interquartile range of some samples: the samples nearest to the quartiles.
function summary(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const [lower, median, upper] = [0.25, 0.5, 0.75].map((share) => sorted[Math.round(share * (sorted.length - 1))]);
  return { median, min: sorted[0], iqr: upper - lower, samples: sorted.length, spread: (100 * (upper - lower)) / median };
}
