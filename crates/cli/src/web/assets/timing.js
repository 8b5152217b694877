// Time: the GPU's timestamps where it has them, else the clock around batches.
//
// A sample is one pass that repeats the work until it lasts 10 ms or more: browsers round timestamps to 0.1 ms, and Apple's step by
// 65.5 µs. A batch also has some milliseconds of the browser's, so batches are longer.
const [STAMPED_MS, BATCHED_MS] = [10, 40];

// Milliseconds that a GPU is loaded before the first sample: an idle one is slow to raise its clock. A software adapter has no clock.
const WARM_UP_MS = 120;

// Samples, and what all of them may take.
const [FEWEST_SAMPLES, MOST_SAMPLES, MOST_MS, MOST_REPEATS] = [3, 9, 900, 4096];

const isVisible = () => document.visibilityState === "visible";
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// How often the tab was shown or hidden.
let changesOfView = 0;
document.addEventListener("visibilitychange", () => { changesOfView += 1; });

// Measures the time of a bound plan: milliseconds of one repetition. Browsers slow the background down, so a measurement counts only if
// the tab was in the foreground throughout, and is done again otherwise.
async function measure(gpu, bound) {
  for (;;) {
    while (!isVisible()) await sleep(100);
    const before = changesOfView;
    const times = await sample(gpu, bound, await settle(gpu, bound));
    if (before === changesOfView) return times;
  }
}

const repeatsFor = (once, ms) => Math.min(MOST_REPEATS, Math.max(1, Math.ceil(ms / Math.max(once, 1e-4))));

// Loads the GPU and returns the approximate time of one repetition.
async function settle(gpu, bound) {
  let best = await submit(gpu, bound);
  const start = performance.now();
  while (!gpu.isSoftware && performance.now() - start < WARM_UP_MS) {
    const repeats = repeatsFor(best, WARM_UP_MS / 4);
    best = Math.min(best, (await submit(gpu, bound, repeats)) / repeats);
  }
  return best;
}

// Repeats the work until a sample lasts long enough, then takes samples of one repetition.
async function sample(gpu, bound, once) {
  const [least, take, timing] = gpu.hasStamps ? [STAMPED_MS, stamped, "gpu"] : [BATCHED_MS, batched, "wall"];
  let [repeats, count] = [repeatsFor(once, least), 1];
  for (;;) {
    const samples = await take(gpu, bound, repeats, count);
    // Timestamps that are zero or go backwards make no sense.
    gpu.hasStamps &&= samples.every((ms) => ms > 0);
    if (timing === "gpu" && !gpu.hasStamps) return sample(gpu, bound, once);
    if (count > 1) return { ...summary(samples.map((ms) => ms / repeats)), timing };
    const [first] = samples;
    if (first >= least || repeats >= MOST_REPEATS) count = Math.max(FEWEST_SAMPLES, Math.min(MOST_SAMPLES, Math.floor(MOST_MS / first)));
    else repeats = Math.min(MOST_REPEATS, Math.ceil(repeats * Math.max(1.5, (1.1 * least) / first)));
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
  const stamps = new BigUint64Array(await readBack(gpu, resolved, 16 * count));
  [querySet, resolved].forEach((made) => made.destroy());
  return Array.from({ length: count }, (_, at) => Number(stamps[2 * at + 1] - stamps[2 * at]) / 1e6);
}

// Median, minimum and interquartile range of some samples: the samples nearest to the quartiles.
function summary(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  const [lower, median, upper] = [0.25, 0.5, 0.75].map((share) => sorted[Math.round(share * (sorted.length - 1))]);
  return { median, min: sorted[0], iqr: upper - lower, samples: sorted.length, spread: (100 * (upper - lower)) / median };
}
