// Turns the exported plans into measurements, and those into rows.

const NAMES = HALOFOLD.rungs.map(({ name }) => name);

// The word that outputs hold before a run: whatever is not written is wrong then.
const POISON = 0xdeadbeef;

// Verifies a plan, measures, verifies again: the measurement, or the fault. A row that the browser's compiler refuses has failed.
async function trial(gpu, plan, { type, values, buffer, expected }, result) {
  const { device } = gpu;
  const failed = (reason) => ({ status: "fail", reason: gpu.lost ? `the GPU was lost: ${gpu.lost}` : reason });
  expected[result] ??= EXPECTED[result](values, type);
  ["validation", "out-of-memory"].forEach((kind) => device.pushErrorScope(kind));
  const [{ size }] = plan.outputs;
  const output = storage(gpu, size);
  const bound = bind(gpu, plan, buffer, output);
  const check = async () => {
    device.queue.writeBuffer(output, 0, new Uint32Array(size / 4).fill(POISON));
    await submit(gpu, bound);
    const [bytes] = await read(device, [{ buffer: output, offset: 0, size }]);
    return mismatch(expected[result], type, bytes, plan.depth);
  };
  try {
    const first = await check();
    const [memory, error] = [await device.popErrorScope(), await device.popErrorScope()];
    if (memory) return { status: "skipped", reason: "the GPU is out of memory: take fewer elements" };
    if (error || first || gpu.lost) return failed(error?.message ?? first);
    const times = await measure(gpu, bound);
    const second = await check();
    return second ? failed(`after the timed runs: ${second}`) : { status: "pass", reason: null, times };
  } catch (error) {
    return failed(error.message);
  } finally {
    [output, bound].forEach((made) => made.destroy());
  }
}

// The elements of a type on the host and on the GPU; the last ones are kept.
function dataset(gpu, type, n) {
  const { dataset: last } = gpu;
  if (last?.type === type && last.values.length === n) return last;
  last?.buffer.destroy();
  const values = makeElements(type, n);
  return (gpu.dataset = { type, values, buffer: storage(gpu, values.byteLength, values), expected: {} });
}

// The plan of a rung, or the reason why it cannot run.
function chosenRung(gpu, { work, length, size, subgroups }, rung) {
  const found = work.rungs[rung][subgroups && gpu.hasSubgroups ? 0 : 1][size];
  return typeof found === "string" ? { status: "skipped", reason: found } : { plan: found[length] };
}

// One rung: a row, with the keys of `halofold ladder --record`.
async function runRung(gpu, setting, rung, peak) {
  const { work: { type, op }, length } = setting;
  const [{ name, finish }, n] = [HALOFOLD.rungs[rung], HALOFOLD.lengths[length]];
  const { plan, ...skipped } = chosenRung(gpu, setting, rung);
  const { times = {}, ...found } = plan ? await trial(gpu, plan, dataset(gpu, type, n), name === "exact" ? "exact" : op) : skipped;
  const { median = null, min = null, iqr = null, samples = null, spread = null, timing = null } = times;
  const rate = median && (4 * n) / 1e6 / median;
  return { preset: null, row: null, rung: name, finish, type, op, n, published_ms: null, published_gb_s: null,
    workgroup_size: plan?.workgroup_size ?? null, workgroups: plan?.workgroups, dispatches: plan?.dispatches.length, adapter: gpu.name,
    backend: "webgpu", ...found, gpu_ms_median: median, gpu_ms_min: min, gpu_ms_iqr: iqr, samples, spread_percent: spread, timing,
    wall_ms_median: null, gb_per_s: rate, percent_of_read_peak: rate && (100 * rate) / peak };
}

// The measured memory peaks: kernels that only read, and that only copy; the best of a few plans each.
async function measurePeak(gpu) {
  const peak = HALOFOLD.peaks.findLast(({ invocations, software }) => invocations <= gpu.invocations && software === gpu.isSoftware);
  const [bytes, seed] = [peak.read[0].outputs[0].size, makeElements("u32", 1 << 18)];
  const [source, sink] = [storage(gpu, bytes), storage(gpu, bytes)];
  for (let filled = 0; filled < bytes; filled += seed.byteLength) {
    gpu.device.queue.writeBuffer(source, filled, seed, 0, Math.min(seed.length, (bytes - filled) / 4));
  }
  const fastest = async (plans) => {
    const times = [];
    for (const plan of plans) times.push(await measure(gpu, bind(gpu, plan, source, sink)));
    return times.reduce((a, b) => (b.median < a.median ? b : a));
  };
  const [reading, copying] = [await fastest(peak.read), await fastest(peak.copy)];
  [source, sink].forEach((buffer) => buffer.destroy());
  return { read: bytes / 1e6 / reading.median, copy: (2 * bytes) / 1e6 / copying.median, bytes, timing: reading.timing };
}

// The place of the length at which each rung once takes about a second in all, by the time of `sequential` over the shortest input.
async function probeLength(gpu, setting) {
  const { n, gpu_ms_median: ms } = await runRung(gpu, { ...setting, length: 0 }, NAMES.indexOf("sequential"), 1);
  return Math.max(0, HALOFOLD.lengths.findLastIndex((longer) => longer <= (1000 / NAMES.length / ms) * n));
}
