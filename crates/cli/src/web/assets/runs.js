// Turns the exported plans into dispatches, and those into rows: of the ladder, of the stencils.
"use strict";

// Numbers of buffers in exported plans.
const INPUT = 0;
const SCRATCH = 1;
const OUTPUT = 3;

// A plan by its number; `plans.rs` has the meaning of its members.
function planOf(number) {
  const [constants, depth, results, workgroups, scratch, partials, marks, count, steps] = HALOFOLD.plans[number];
  let before = [];
  const launches = steps.map(([stage, from, to, grid, words]) => {
    // Left out if they repeat: the buffer that the launch before wrote, the count, the workgroups in a row.
    const [first = 0, len = 0, index = 0, , groups = 0, , ...others] = words;
    const launch = { stage, from: from.length ? from : before, to, grid, params: [first, len, index, count, groups, grid[0], ...others] };
    before = to;
    return launch;
  });
  return { constants, depth, results, workgroups, scratch, partials, marks, launches };
}

// The words that outputs hold before a run: whatever is not written is wrong then.
const POISON = 0xdeadbeef;

// The dispatches of a plan over an input, with an output of its own. `work` says how large values are.
async function prepare(gpu, { work, modules, plan, input }) {
  const outputBytes = plan.results * work.out;
  const buffers = {
    [INPUT]: input,
    [SCRATCH]: storage(gpu, plan.scratch[0] * work.acc),
    [SCRATCH + 1]: storage(gpu, plan.scratch[1] * work.acc),
    [OUTPUT]: storage(gpu, outputBytes),
  };
  const [partials, marks, nothing] = [storage(gpu, plan.partials), storage(gpu, plan.marks), storage(gpu, 128)];
  const params = uniforms(gpu, plan.launches.map(({ params }) => params));
  // A place is a buffer and one or two ranges of it, in values.
  const range = ([buffer, offset, size], value) =>
    buffers[buffer] ? { buffer: buffers[buffer], offset: offset * value, size: Math.ceil((size * value) / 4) * 4 } : { buffer: nothing };
  const second = ([buffer, , , offset, size]) => offset === undefined ? { buffer: nothing } : range([buffer, offset, size], work.item);
  const dispatches = [];
  for (const [at, { stage, from, to, grid }] of plan.launches.entries()) {
    const compiled = await compile(gpu, modules[stage], plan.constants);
    const read = range(from, from[0] === INPUT ? work.item : work.acc);
    const isLast = to[0] === OUTPUT;
    const resource = (slot) => {
      switch (slot) {
        case 1: return range(to, isLast ? work.out : work.acc);
        case 2: return params(at);
        case 4: return { buffer: partials };
        case 5:
        case 6: return second(from);
        case 7:
        case 8: return { buffer: marks };
        default: return read;
      }
    };
    dispatches.push({ pipeline: compiled.pipeline, bindings: bind(gpu, compiled, resource), grid });
  }
  const destroy = () => [...Object.values(buffers).slice(1), partials, marks, nothing].forEach((buffer) => buffer.destroy());
  return { dispatches, output: buffers[OUTPUT], outputBytes, destroy };
}

// Runs once over an output that holds a word everywhere, or these words, and returns its fault.
async function check(gpu, ready, wrong, start = POISON) {
  const words = typeof start === "number" ? new Uint32Array(Math.ceil(ready.outputBytes / 4)).fill(start) : start;
  upload(gpu, ready.output, words);
  await runOnce(gpu, ready.dispatches);
  return wrong(await readBack(gpu, ready.output, ready.outputBytes));
}

// Milliseconds from submission to the result on the host: the median of three; of one where each takes long.
async function endToEnd(gpu, { dispatches, output, outputBytes }) {
  const ms = [];
  for (let k = gpu.isSoftware ? 1 : 3; k > 0; k -= 1) {
    const start = performance.now();
    const encoder = gpu.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    record(pass, dispatches);
    pass.end();
    gpu.device.queue.submit([encoder.finish()]);
    await readBack(gpu, output, Math.min(outputBytes, 64));
    ms.push(performance.now() - start);
  }
  return summary(ms).median;
}

// Verifies, measures, verifies again: the measurement, or the fault. A row that the browser's compiler refuses has failed.
async function trial(gpu, make, wrong, start) {
  let ready = null;
  try {
    gpu.device.pushErrorScope("validation");
    gpu.device.pushErrorScope("out-of-memory");
    ready = await make();
    const first = await check(gpu, ready, wrong, start);
    const [memory, error] = [await gpu.device.popErrorScope(), await gpu.device.popErrorScope()];
    if (memory) return { status: "skipped", reason: "the GPU is out of memory: take fewer elements" };
    if (error) return { status: "fail", reason: error.message };
    if (gpu.lost) throw new Error(gpu.lost);
    if (first) return { status: "fail", reason: first };
    const times = await measure(gpu, ready.dispatches);
    const wall = await endToEnd(gpu, ready);
    const second = await check(gpu, ready, wrong, start);
    if (second) return { status: "fail", reason: `after the timed runs: ${second}` };
    return { status: "pass", reason: null, times, wall, dispatches: ready.dispatches.length };
  } catch (error) {
    return { status: "fail", reason: gpu.lost ? `the GPU was lost: ${gpu.lost}` : error.message };
  } finally {
    ready?.destroy();
  }
}

// The elements of a type on the host and on the GPU; the last ones are kept.
async function dataset(gpu, type, n) {
  const key = [type, n].join();
  if (gpu.dataset?.key === key) return gpu.dataset;
  gpu.dataset?.buffer.destroy();
  gpu.dataset = null;
  const { bytes, values } = makeElements(type, n);
  const buffer = storage(gpu, bytes.byteLength);
  upload(gpu, buffer, bytes);
  gpu.dataset = { key, buffer, values, bytes: bytes.byteLength, expected: {} };
  return gpu.dataset;
}

// The modules and the plan of a rung, or the reason why it cannot run.
function chosenRung(gpu, { work, length, size, subgroups }, rung) {
  const { modules, table } = work.rungs[rung];
  const own = modules[subgroups && gpu.hasSubgroups ? 0 : 1];
  if (typeof own === "string") return { reason: own };
  const row = HALOFOLD.tables[table][size];
  if (typeof row === "string") return { reason: row };
  return { modules: own, plan: planOf(row[length]) };
}

// One rung: a row as records have it.
async function runRung(gpu, setting, rung, peak) {
  const { work, length } = setting;
  const { name, finish } = HALOFOLD.rungs[rung];
  const n = HALOFOLD.lengths[length];
  const { modules, plan, reason } = chosenRung(gpu, setting, rung);
  const row = { ...blankRow(gpu), preset: null, row: null, rung: name, finish, type: work.type, op: work.op, n,
    workgroup_size: plan ? new Map(plan.constants).get("WG") ?? null : null };
  if (reason) return { ...row, status: "skipped", reason };
  const data = await dataset(gpu, work.type, n);
  const all = new Elements(data.values);
  data.expected[work.op] ??= EXPECTED[work.op](all, work.type);
  // A rung without rounding has no bound: 64 bits hold the sum of these elements, of which it is the nearest float.
  const expected = name === "exact" ? exactly(Math.fround(all.total((x) => x))) : data.expected[work.op];
  const wrong = (bytes) => mismatch(expected, readResult(work.op, work.type, new DataView(bytes)), plan.depth);
  const found = await trial(gpu, () => prepare(gpu, { work, modules, plan, input: data.buffer }), wrong);
  return { ...withTimes(row, found), workgroups: plan.workgroups, dispatches: plan.launches.length,
    wall_ms_median: found.wall ?? null, ...rate(found, data.bytes, peak) };
}

// Bytes over the median, and the share of a peak.
function rate({ times }, bytes, peak, share = "percent_of_read_peak") {
  if (!times) return { gb_per_s: null, [share]: null };
  const gb = bytes / 1e6 / times.median;
  return { gb_per_s: gb, [share]: (100 * gb) / peak };
}

// The dispatches of a stencil's two steps, there and back between two buffers of cells.
async function prepareSteps(gpu, variant, grid, [first, second]) {
  const compiled = await compile(gpu, variant.module, variant.constants);
  const launch = variant.launches[grid];
  const params = uniforms(gpu, [launch.params]);
  const weights = storage(gpu, 16);
  upload(gpu, weights, new Float32Array(variant.weights));
  return [[first, second], [second, first]].map(([from, to]) => {
    const slots = { 0: { buffer: from }, 1: { buffer: to }, 2: params(0), 3: { buffer: weights } };
    return { pipeline: compiled.pipeline, bindings: bind(gpu, compiled, (slot) => slots[slot]), grid: launch.grid };
  });
}

// One step of the stencil in 64 bits: the first fault of the GPU's, cell by cell. Outermost cells stay as they are.
function wrongStep(cells, rows, cols, weight) {
  return (bytes) => {
    const got = new Float32Array(bytes);
    for (let r = 0; r < rows; r += 1) {
      for (let c = 0; c < cols; c += 1) {
        const i = r * cols + c;
        const isBorder = r === 0 || c === 0 || r === rows - 1 || c === cols - 1;
        const five = isBorder ? [] : [cells[i], cells[i - cols], cells[i + cols], cells[i - 1], cells[i + 1]];
        const exact = isBorder ? cells[i] : weight * five.reduce((a, b) => a + b);
        // Four additions, a product and the rounded weight: six half units of what is added.
        const bound = isBorder ? 0 : 6 * UNIT * weight * five.reduce((sum, x) => sum + Math.abs(x), 0) + SMALLEST;
        if (!(Math.abs(got[i] - exact) <= bound)) return `row ${r}, column ${c}: got ${got[i]}, expected ${exact} ± ${bound.toExponential(2)}`;
      }
    }
    return null;
  };
}

// One variant of the stencil of five points: a row as records have it.
async function runStencil(gpu, grid, variant, peak) {
  const [rows, cols] = HALOFOLD.grids[grid];
  const launch = variant.launches[grid];
  const row = { ...blankRow(gpu), preset: null, row: null, variant: variant.name, points: 5, grid: `${rows}x${cols}`, block: variant.block,
    boundary: "fixed", type: "f32", steps: null, workgroups: launch.grid[0] * launch.grid[1], dispatches: 1 };
  const cells = makeElements("f32", rows * cols).values;
  const make = async () => {
    const [first, second] = [storage(gpu, cells.byteLength), storage(gpu, cells.byteLength)];
    upload(gpu, first, cells);
    const [there] = await prepareSteps(gpu, variant, grid, [first, second]);
    const destroy = () => [first, second].forEach((buffer) => buffer.destroy());
    return { dispatches: [there], output: second, outputBytes: cells.byteLength, destroy };
  };
  // The outermost cells of both buffers are the borders' values: what a step writes over must have them.
  const poison = new Uint32Array(cells.length).fill(POISON);
  const bits = new Uint32Array(cells.buffer);
  for (let i = 0; i < cells.length; i += 1) {
    const [r, c] = [Math.floor(i / cols), i % cols];
    if (r === 0 || c === 0 || r === rows - 1 || c === cols - 1) poison[i] = bits[i];
  }
  const found = await trial(gpu, make, wrongStep(cells, rows, cols, Math.fround(variant.weights[0])), poison);
  const gcells = found.times ? (rows * cols) / 1e6 / found.times.median : null;
  return { ...withTimes(row, found), wall_ms_median: null, gcells_per_s: gcells, gflop_per_s: gcells && gcells * variant.flops,
    ...rate(found, 8 * rows * cols, peak, "percent_of_copy_peak"), published_s: null, published_gflop_s: null };
}

// The measured memory peaks: kernels that only read, and that only copy; the best of a few forms each.
async function measurePeak(gpu) {
  const fitting = HALOFOLD.peaks.filter(({ invocations, software }) => invocations <= gpu.invocations && software === gpu.isSoftware);
  const { bytes, read, copy } = fitting.at(-1);
  const [source, sink] = [storage(gpu, bytes), storage(gpu, bytes)];
  const seed = new Uint32Array(1 << 18).map((_, i) => scramble(i));
  const seeded = storage(gpu, seed.byteLength);
  upload(gpu, seeded, seed);
  const encoder = gpu.device.createCommandEncoder();
  for (let filled = 0; filled < bytes; filled += seed.byteLength) {
    encoder.copyBufferToBuffer(seeded, 0, source, filled, Math.min(seed.byteLength, bytes - filled));
  }
  gpu.device.queue.submit([encoder.finish()]);
  const best = async (forms) => {
    let fastest = null;
    for (const { module, constants, grid } of forms) {
      const compiled = await compile(gpu, module, constants);
      const params = uniforms(gpu, [[bytes / 16, grid[0]]]);
      const slots = [{ buffer: source }, { buffer: sink }, params(0)];
      const times = await measure(gpu, [{ pipeline: compiled.pipeline, bindings: bind(gpu, compiled, (slot) => slots[slot]), grid }]);
      if (!fastest || times.median < fastest.median) fastest = times;
    }
    return fastest;
  };
  const [reading, copying] = [await best(read), await best(copy)];
  [seeded, source, sink].forEach((buffer) => buffer.destroy());
  return { read: bytes / 1e6 / reading.median, copy: (2 * bytes) / 1e6 / copying.median, bytes, timing: reading.timing };
}
