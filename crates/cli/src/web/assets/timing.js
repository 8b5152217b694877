// Time: the GPU's timestamps where it has them, else the clock around batches.
//
// A sample is one pass that repeats the work until it lasts 10 ms or more: browsers round timestamps to 0.1 ms, and Apple's step by
// 65.5 µs. A batch also has some milliseconds of the browser's, so batches are longer.
const [STAMPED_MS, BATCHED_MS] = [10, 40];

// Milliseconds that a GPU is loaded before the first sample: an idle one is slow to raise its clock. A software adapter has no clock.
const WARM_UP_MS = 120;

// Samples, what all of them may take, and repetitions of a sample.
const [FEWEST_SAMPLES, MOST_SAMPLES, MOST_MS, MOST_REPEATS] = [3, 9, 900, 4096];

const between = (low, x, high) => Math.min(high, Math.max(low, x));
const isVisible = () => document.visibilityState === "visible";
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// How often the tab was shown or hidden.
let changesOfView = 0;
document.addEventListener("visibilitychange", () => { changesOfView += 1; });

// Measures the time of a bound plan: milliseconds of one repetition. Browsers slow the background down, so a measurement counts only if
// the tab was in the foreground throughout. Timestamps that are zero or go backwards make no sense.
async function measure(gpu, bound) {
  for (;;) {
    while (!isVisible()) await sleep(100);
    const before = changesOfView;
    const [least, take, timing] = gpu.hasStamps ? [STAMPED_MS, stamped, "gpu"] : [BATCHED_MS, batched, "wall"];
    const once = await settle(gpu, bound);
    const repeats = between(1, Math.ceil((1.2 * least) / once), MOST_REPEATS);
    const count = between(FEWEST_SAMPLES, Math.floor(MOST_MS / (repeats * once)), MOST_SAMPLES);
    const samples = await take(gpu, bound, repeats, count);
    gpu.hasStamps &&= samples.every((ms) => ms > 0);
    const isClean = before === changesOfView && (timing === "wall" || gpu.hasStamps);
    if (isClean) return { ...summary(samples.map((ms) => ms / repeats)), timing };
  }
}

// Loads the GPU by more and more repetitions, and returns the approximate time of one. The first compiles the kernels.
async function settle(gpu, bound) {
  await submit(gpu, bound);
  for (let repeats = 1; ; repeats *= 2) {
    const ms = await submit(gpu, bound, repeats);
    if (ms >= (gpu.isSoftware ? BATCHED_MS : WARM_UP_MS) || repeats >= MOST_REPEATS) return ms / repeats;
  }
}

async function batched(gpu, bound, repeats, count) {
  const ms = [];
  while (ms.length < count) ms.push(await submit(gpu, bound, repeats));
  return ms;
}

// Milliseconds of passes by timestamps. They are resolved in a second submission, as on macOS they may read as zeros in the same one.
async function stamped(gpu, bound, repeats, count) {
  const { device } = gpu;
  const querySet = device.createQuerySet({ type: "timestamp", count: 2 * count });
  const resolved = device.createBuffer({ size: 16 * count, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
  const [first, second] = [device.createCommandEncoder(), device.createCommandEncoder()];
  for (let at = 0; at < 2 * count; at += 2) {
    record(first, bound, repeats, { querySet, beginningOfPassWriteIndex: at, endOfPassWriteIndex: at + 1 });
  }
  device.queue.submit([first.finish()]);
  await device.queue.onSubmittedWorkDone();
  second.resolveQuerySet(querySet, 0, 2 * count, resolved, 0);
  device.queue.submit([second.finish()]);
  const [bytes] = await read(device, [{ buffer: resolved, offset: 0, size: 16 * count }]);
  const stamps = new BigUint64Array(bytes);
  [querySet, resolved].forEach((made) => made.destroy());
  return Array.from({ length: count }, (_, at) => Number(stamps[2 * at + 1] - stamps[2 * at]) / 1e6);
}

// Median, minimum and interquartile range of some samples: the samples nearest to the quartiles.
function summary(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  const [lower, median, upper] = [0.25, 0.5, 0.75].map((share) => sorted[Math.round(share * (sorted.length - 1))]);
  return { median, min: sorted[0], iqr: upper - lower, samples: sorted.length, spread: (100 * (upper - lower)) / median };
}
