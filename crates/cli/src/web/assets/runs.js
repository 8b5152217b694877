// Turns the exported plans into dispatches, and measurements of those into rows.
"use strict";

const NAMES = HALOFOLD.rungs.map(({ name }) => name);

// Numbers of buffers in exported plans; `plans.rs` has the meaning of their members.
const INPUT = 0;
const OUTPUT = 3;

// The word that outputs hold before a run: whatever is not written is wrong then.
const POISON = 0xdeadbeef;

// The dispatches of a plan over an input, with an output of its own. `work` says how large values are.
async function prepare(gpu, { work, modules, plan, input }) {
  const outputBytes = plan.results * work.out;
  const own = [plan.scratch[0] * work.acc, plan.scratch[1] * work.acc, outputBytes, plan.partials, plan.marks, 128].map((bytes) => storage(gpu, bytes));
  const buffers = [input, ...own.slice(0, OUTPUT)];
  const [partials, marks, nothing] = own.slice(OUTPUT).map((buffer) => ({ buffer }));
  const params = uniforms(gpu, plan.launches.map((launch) => launch.params));
  // A place is a buffer and one or two ranges of it, in values.
  const range = ([buffer, offset, size], value) =>
    buffers[buffer] ? { buffer: buffers[buffer], offset: offset * value, size: size * value } : nothing;
  const dispatches = [];
  for (const [at, { stage, from, to, grid }] of plan.launches.entries()) {
    const read = range(from, from[0] === INPUT ? work.item : work.acc);
    const write = range(to, to[0] === OUTPUT ? work.out : work.acc);
    const second = from[3] === undefined ? nothing : range([from[0], from[3], from[4]], work.item);
    const slots = [read, write, params(at), read, partials, second, second, marks, marks];
    dispatches.push(dispatch(gpu, await compile(gpu, modules[stage], plan.constants), grid, (slot) => slots[slot] ?? read));
  }
  return { dispatches, output: buffers[OUTPUT], outputBytes, destroy: () => own.forEach((buffer) => buffer.destroy()) };
}

// Verifies, measures, verifies again: the measurement, or the fault. A row that the browser's compiler refuses has failed.
async function trial(gpu, make, wrong) {
  let ready = null;
  const check = async () => {
    gpu.device.queue.writeBuffer(ready.output, 0, new Uint32Array(ready.outputBytes / 4).fill(POISON));
    await submit(gpu, ready.dispatches);
    return wrong(await readBack(gpu, ready.output, ready.outputBytes));
  };
  try {
    gpu.device.pushErrorScope("validation");
    gpu.device.pushErrorScope("out-of-memory");
    ready = await make();
    const first = await check();
    const [memory, error] = [await gpu.device.popErrorScope(), await gpu.device.popErrorScope()];
    if (memory) return { status: "skipped", reason: "the GPU is out of memory: take fewer elements" };
    if (gpu.lost) throw new Error(gpu.lost);
    if (error || first) return { status: "fail", reason: error?.message ?? first };
    const times = await measure(gpu, ready.dispatches);
    const second = await check();
    if (second) return { status: "fail", reason: `after the timed runs: ${second}` };
    return { status: "pass", reason: null, times };
  } catch (error) {
    return { status: "fail", reason: gpu.lost ? `the GPU was lost: ${gpu.lost}` : error.message };
  } finally {
    ready?.destroy();
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

// The modules and the plan of a rung, or the reason why it cannot run.
function chosenRung(gpu, { work, length, size, subgroups }, rung) {
  const { modules, table } = work.rungs[rung];
  const own = modules[subgroups && gpu.hasSubgroups ? 0 : 1];
  if (typeof own === "string") return { reason: own };
  const row = HALOFOLD.tables[table][size];
  if (typeof row === "string") return { reason: row };
  return { modules: own, plan: HALOFOLD.plans[row[length]] };
}

// One rung: a row as records have it.
async function runRung(gpu, setting, rung, peak) {
  const { work, length } = setting;
  const { name, finish } = HALOFOLD.rungs[rung];
  const n = HALOFOLD.lengths[length];
  const { modules, plan, reason } = chosenRung(gpu, setting, rung);
  const row = { preset: null, row: null, rung: name, finish, type: work.type, op: work.op, n, published_ms: null, published_gb_s: null,
    workgroup_size: plan ? new Map(plan.constants).get("WG") ?? null : null, adapter: gpu.name, backend: "webgpu" };
  if (reason) return { ...row, ...outcome({ status: "skipped", reason }) };
  const { values, buffer, expected } = dataset(gpu, work.type, n);
  expected[work.op] ??= EXPECTED[work.op](values, work.type);
  // A rung without rounding has no bound: the nearest float to the sum.
  const wanted = name === "exact" ? exactly(Math.fround(expected.sum.value)) : expected[work.op];
  const wrong = (bytes) => mismatch(wanted, readResult(work.type, bytes), plan.depth);
  const found = await trial(gpu, () => prepare(gpu, { work, modules, plan, input: buffer }), wrong);
  return { ...row, ...outcome(found, values.byteLength, peak), workgroups: plan.workgroups, dispatches: plan.launches.length };
}

// The dispatches of a stencil's two steps, there and back between two buffers of cells.
async function prepareSteps(gpu, { module, constants, launch, weights }, [first, second]) {
  const compiled = await compile(gpu, module, constants);
  const params = uniforms(gpu, [launch.params]);
  const factors = storage(gpu, 16, new Float32Array(weights));
  return [[first, second], [second, first]].map(([from, to]) => {
    const slots = [{ buffer: from }, { buffer: to }, params(0), { buffer: factors }];
    return dispatch(gpu, compiled, launch.grid, (slot) => slots[slot]);
  });
}

// The measured memory peaks: kernels that only read, and that only copy; the best of a few forms each.
async function measurePeak(gpu) {
  const fits = ({ invocations, software }) => invocations <= gpu.invocations && software === gpu.isSoftware;
  const { bytes, read, copy } = HALOFOLD.peaks.findLast(fits);
  const seed = makeElements("u32", 1 << 18);
  const [source, sink, seeded] = [storage(gpu, bytes), storage(gpu, bytes), storage(gpu, seed.byteLength, seed)];
  const encoder = gpu.device.createCommandEncoder();
  for (let filled = 0; filled < bytes; filled += seed.byteLength) {
    encoder.copyBufferToBuffer(seeded, 0, source, filled, Math.min(seed.byteLength, bytes - filled));
  }
  gpu.device.queue.submit([encoder.finish()]);
  const fastest = async (forms) => {
    const times = [];
    for (const { module, constants, grid } of forms) {
      const slots = [{ buffer: source }, { buffer: sink }, uniforms(gpu, [[bytes / 16, grid[0]]])(0)];
      times.push(await measure(gpu, [dispatch(gpu, await compile(gpu, module, constants), grid, (slot) => slots[slot])]));
    }
    return times.reduce((a, b) => (b.median < a.median ? b : a));
  };
  const [reading, copying] = [await fastest(read), await fastest(copy)];
  [seeded, source, sink].forEach((buffer) => buffer.destroy());
  return { read: bytes / 1e6 / reading.median, copy: (2 * bytes) / 1e6 / copying.median, bytes, timing: reading.timing };
}

// The place of the length at which each rung once takes about a second in all, by the time of `sequential` over the shortest input.
async function probeLength(gpu, setting) {
  const [{ work }, n] = [setting, HALOFOLD.lengths[0]];
  const chosen = chosenRung(gpu, { ...setting, length: 0 }, NAMES.indexOf("sequential"));
  const ready = await prepare(gpu, { work, ...chosen, input: dataset(gpu, work.type, n).buffer });
  await submit(gpu, ready.dispatches);
  const ms = await settle(gpu, ready.dispatches);
  ready.destroy();
  return Math.max(0, HALOFOLD.lengths.findLastIndex((longer) => longer <= (1000 / NAMES.length / ms) * n));
}
