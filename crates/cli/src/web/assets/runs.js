// Turns the exported plans into measurements, and those into rows.

const NAMES = HALOFOLD.rungs.map(({ name }) => name);

// The word that outputs hold before a run: whatever is not written is wrong then.
const POISON = 0xdeadbeef;

// Verifies a plan, measures, verifies again: the measurement, or the fault. A row that the browser's compiler refuses has failed.
async function trial(gpu, plan, input, wrong) {
  const { device } = gpu;
  const failed = (reason) => ({ status: "fail", reason: gpu.lost ? `the GPU was lost: ${gpu.lost}` : reason });
  ["validation", "out-of-memory"].forEach((kind) => device.pushErrorScope(kind));
  const [{ size }] = plan.outputs;
  const output = storage(gpu, size);
  const bound = bind(gpu, plan, input, output);
  const check = async () => {
    device.queue.writeBuffer(output, 0, new Uint32Array(size / 4).fill(POISON));
    await submit(gpu, bound);
    return wrong(await readBack(gpu, output, size));
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
  if (gpu.dataset?.type === type && gpu.dataset.values.length === n) return gpu.dataset;
  gpu.dataset?.buffer.destroy();
  const values = makeElements(type, n);
  gpu.dataset = { type, values, buffer: storage(gpu, values.byteLength, values), expected: {} };
  return gpu.dataset;
}

// The plan of a rung, or the reason why it cannot run.
function chosenRung(gpu, { work, length, size, subgroups }, rung) {
  const found = work.rungs[rung][subgroups && gpu.hasSubgroups ? 0 : 1][size];
  return typeof found === "string" ? { reason: found } : { plan: found[length] };
}

const workgroupSize = (plan) => plan?.pipelines.find(({ constants }) => constants.WG)?.constants.WG ?? null;

// Workgroups of the dispatches that read the elements.
function workgroupsOf({ dispatches }) {
  const readers = dispatches.filter(({ bindings }) => bindings.some((binding) => binding.of === "input"));
  return readers.reduce((sum, { workgroups: [x, y] }) => sum + x * y, 0);
}

// One rung: a row as records have it.
async function runRung(gpu, setting, rung, peak) {
  const { work: { type, op }, length } = setting;
  const { name, finish } = HALOFOLD.rungs[rung];
  const n = HALOFOLD.lengths[length];
  const { plan, reason } = chosenRung(gpu, setting, rung);
  const row = { preset: null, row: null, rung: name, finish, type, op, n, published_ms: null, published_gb_s: null,
    workgroup_size: workgroupSize(plan), adapter: gpu.name, backend: "webgpu" };
  if (reason) return { ...row, ...outcome({ status: "skipped", reason }) };
  const { values, buffer, expected } = dataset(gpu, type, n);
  expected[op] ??= EXPECTED[op](values, type);
  // A rung without rounding has no bound: the nearest float to the sum.
  const wanted = name === "exact" ? exactly(Math.fround(expected.sum.value)) : expected[op];
  const found = await trial(gpu, plan, buffer, (bytes) => mismatch(wanted, type, bytes, plan.depth));
  return { ...row, ...outcome(found, values.byteLength, peak), workgroups: workgroupsOf(plan), dispatches: plan.dispatches.length };
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
