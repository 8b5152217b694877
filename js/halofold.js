// halofold: sums, quantiles, top k, histograms, groups, prefix sums and selections on a GPUDevice of your own.
//
//   import { quantiles } from "halofold";
//   const median = await quantiles(device, { type: "f32", q: [0.5] });
//   const [value] = await median.run({ elements: buffer });             // submits and waits
//   median.encode(encoder, { elements: buffer }, { results: output });  // or records into your own encoder
//
// An operation plans each length once, by a planner in WebAssembly. It never creates a device, and submits only in `run`.

const TYPES = {
  u32: [4, Uint32Array], i32: [4, Int32Array], f32: [4, Float32Array], f16: [2, globalThis.Float16Array ?? Uint16Array],
  u64: [8, BigUint64Array], i64: [8, BigInt64Array], f64: [8, Float64Array],
};

let planner;

// Loads the planner: from `halofold.wasm` beside this file, or from an address, bytes or a `WebAssembly.Module`. Operations call it themselves.
export function load(source = new URL("halofold.wasm", import.meta.url)) {
  planner ??= (async () => {
    let wasm = source;
    if (source instanceof URL || typeof source === "string") {
      const url = new URL(source, import.meta.url);
      const isFile = url.protocol === "file:" && globalThis.process?.versions?.node;
      const take = (response) => (response.ok ? response.arrayBuffer() : Promise.reject(new Error(`${url}: ${response.status}`)));
      wasm = isFile ? await (await import("node:fs/promises")).readFile(url) : await fetch(url).then(take);
    }
    const made = await WebAssembly.instantiate(wasm, {});
    return (made.instance ?? made).exports;
  })().catch((error) => { planner = undefined; throw error; });
  return planner;
}

// The plan of a request: see docs/plan.md.
export const plan = async (request) => planned(await load(), request);

function planned({ memory, allocate, plan }, request) {
  const text = new TextEncoder().encode(JSON.stringify(request));
  const at = allocate(text.length);
  new Uint8Array(memory.buffer, at, text.length).set(text);
  const answer = plan(at, text.length);
  const size = new DataView(memory.buffer).getUint32(answer, true);
  const made = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, answer + 4, size)));
  if (made.error) throw new Error(made.error);
  return made;
}

// The text of a plan's pipeline. Constants are pasted: in Safari a workgroup array whose size is an `override` is empty.
export function moduleText({ modules }, { module, constants }) {
  return modules[module].replace(/^override (\w+): (\w+)(?: = (.*))?;$/gm, (line, name, type, usual) => {
    const value = constants[name] ?? usual;
    return `const ${name}: ${type} = ${type === "bool" && name in constants ? value !== 0 : value};`;
  });
}

// Pipelines of each device, by everything that they are made of.
const pipelinesOf = new WeakMap();

function pipelineOf(device, plan, pipeline) {
  const known = pipelinesOf.get(device) ?? new Map();
  pipelinesOf.set(device, known);
  const { label, entry, bindings } = pipeline;
  const code = moduleText(plan, pipeline);
  const key = JSON.stringify([code, entry, bindings]);
  if (!known.has(key)) {
    const visibility = GPUShaderStage.COMPUTE;
    const entries = bindings.map(([binding, type]) => ({ binding, visibility, buffer: { type } }));
    const layout = device.createBindGroupLayout({ label, entries });
    const compute = { module: device.createShaderModule({ label, code }), entryPoint: entry };
    const whole = device.createPipelineLayout({ label, bindGroupLayouts: [layout] });
    known.set(key, { layout, pipeline: device.createComputePipeline({ label, layout: whole, compute }) });
  }
  return known.get(key);
}

// Dispatches that are ready to be recorded any number of times. Recording allocates nothing.
export class Bound {
  // Binds buffers to a plan. `inputs` and `outputs` are lists of `{ buffer, offset }`, whose offsets are multiples of 256.
  constructor(device, plan, inputs, outputs) {
    this.label = plan.label;
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    this.buffers = plan.buffers.map(({ size, words }) => {
      const buffer = device.createBuffer({ label: plan.label, size, usage, mappedAtCreation: words.length > 0 });
      if (words.length > 0) {
        new Uint32Array(buffer.getMappedRange()).set(words);
        buffer.unmap();
      }
      return buffer;
    });
    const own = this.buffers.map((buffer) => ({ buffer, offset: 0 }));
    const of = { input: inputs, output: outputs, buffer: own };
    this.dispatches = plan.dispatches.map(({ pipeline, workgroups, bindings }) => {
      const { layout, pipeline: compiled } = pipelineOf(device, plan, plan.pipelines[pipeline]);
      const entries = bindings.map(({ binding, of: kind, index, offset, size }) => {
        const given = of[kind][index];
        const resource = { buffer: given.buffer, offset: given.offset + offset };
        return { binding, resource: size === null ? resource : { ...resource, size } };
      });
      return { pipeline: compiled, group: device.createBindGroup({ label: plan.label, layout, entries }), workgroups };
    });
  }

  // Records into a compute pass, or into a pass of its own in a command encoder.
  encode(target) {
    const isEncoder = "beginComputePass" in target;
    const pass = isEncoder ? target.beginComputePass({ label: this.label }) : target;
    for (const { pipeline, group, workgroups } of this.dispatches) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(workgroups[0], workgroups[1]);
    }
    if (isEncoder) pass.end();
  }

  // Frees the plan's own buffers.
  destroy() {
    this.buffers.forEach((buffer) => buffer.destroy());
  }
}

// The inputs of operations that do not take `elements`.
const ORDER = {
  "group-by-id": ["values", "keys"], "group-by-key": ["keys", "values"], "reduce-runs": ["keys", "values"], jacobi: ["cells", "rhs"],
};

const rangeOf = (given, name) => {
  const { buffer, offset = 0, size = buffer?.size - offset } = given instanceof GPUBuffer ? { buffer: given } : given ?? {};
  const isWithin = buffer instanceof GPUBuffer && offset >= 0 && size >= 0 && offset + size <= buffer.size;
  if (!isWithin) throw new TypeError(`${name} is neither a GPUBuffer nor { buffer, offset, size } within one`);
  return { buffer, offset, size };
};

// The entry of a map with a key. Of many, the oldest go.
function kept(map, key, make) {
  if (!map.has(key)) {
    if (map.size >= 64) map.delete(map.keys().next().value);
    map.set(key, make());
  }
  return map.get(key);
}

// An operation on a device, over inputs of any length.
export class Operation {
  constructor(device, settings, wasm) {
    const plain = (_, value) => (ArrayBuffer.isView(value) ? [...value] : value);
    const { subgroups = true, ...operation } = JSON.parse(JSON.stringify(settings, plain));
    Object.assign(this, { device, operation, wasm, plans: new Map(), bound: new WeakMap() });
    const limits = {};
    for (const name in device.limits) limits[name] = device.limits[name];
    // Kernels read `subgroup_id`, which the first browsers with subgroups lack.
    const hasIds = globalThis.navigator?.gpu?.wgslLanguageFeatures?.has("subgroup_id") !== false;
    this.host = { limits, subgroups: subgroups && hasIds && device.features.has("subgroups"), f16: device.features.has("shader-f16") };
    this.align = limits.minStorageBufferOffsetAlignment;
    const { name, key = "u32", type = "u32", elementSize } = operation;
    const isOfKeys = name === "run-lengths" || ORDER[name]?.[0] === "keys";
    this.size = isOfKeys ? TYPES[key]?.[0] : elementSize ?? TYPES[type]?.[0];
  }

  // The plan for `len` elements. Offsets are those of inputs and outputs behind the last multiple of 256.
  plan(len, offsets = [0, 0], host = {}) {
    const request = { operation: this.operation, len, offsets, host: { ...this.host, ...host } };
    return kept(this.plans, JSON.stringify([len, offsets, host]), () => planned(this.wasm, request));
  }

  // The inputs in the plan's order, and their elements.
  #inputs({ len, ...given }) {
    const main = ORDER[this.operation.name] ?? ["elements", "second"];
    const names = [...main, "offsets", "parameters", "count"];
    const unknown = Object.keys(given).find((name) => !names.includes(name));
    if (unknown || !given[main[0]]) throw new TypeError(`${unknown ?? "nothing"} is no input: the inputs are ${names.join(", ")}`);
    const ranges = names.map((name) => (name in given ? rangeOf(given[name], name) : undefined));
    const odd = names.findIndex((name, nth) => (name === "offsets" || name === "parameters") && this.#behind(ranges[nth]) > 0);
    if (odd >= 0) throw new RangeError(`${names[odd]}: ${ranges[odd].offset} is no multiple of ${this.align}: start there`);
    const room = this.size ? Math.floor(ranges[0].size / this.size) : 0;
    if (len > room || !Number.isInteger(len ?? 0)) throw new RangeError(`${len} elements: the buffer has ${room}`);
    const taken = names.filter((name) => given[name]).join(", ");
    return { len: len ?? room, offsets: [ranges[0], ranges[1]].map((one) => this.#behind(one)), all: ranges.filter(Boolean), count: ranges[4], taken };
  }

  // The bytes between the last multiple of the alignment and a buffer's part.
  #behind = (range) => (range ? range.offset % this.align : 0);

  // Binds buffers: each a `GPUBuffer`, or `{ buffer, offset, size }`. Outputs that are not given are allocated.
  bind(inputs, outputs = {}, usage = 0) {
    const { len, offsets, all, count, taken } = this.#inputs(inputs);
    const counted = count ? { count: this.#behind(count) } : {};
    const names = this.plan(len, offsets, counted).outputs.map(({ name }) => name);
    const unknown = Object.keys(outputs).find((name) => !names.includes(name) && name !== "results");
    if (unknown) throw new TypeError(`${unknown} is no output: the outputs are ${names.join(", ")}`);
    const aliased = (name, nth) => outputs[name] ?? (nth === 0 && !names.includes("results") ? outputs.results : undefined);
    const given = names.map(aliased).map((one, nth) => one && rangeOf(one, names[nth]));
    const plan = this.plan(len, offsets, { ...counted, outputs: given.map((one) => this.#behind(one)) });
    if (taken !== plan.inputs.join(", ")) throw new TypeError(`the inputs are ${taken}: the operation takes ${plan.inputs.join(", ")}`);
    for (const [nth, one] of all.entries()) {
      const parts = plan.dispatches.flatMap(({ bindings }) => bindings).filter(({ of, index }) => of === "input" && index === nth);
      const needed = parts.reduce((most, { offset, size }) => Math.max(most, offset + size), 0) - this.#behind(one);
      if (Math.ceil(one.size / 4) * 4 < needed) throw new RangeError(`${plan.inputs[nth]}: ${one.size} bytes of ${needed}`);
    }
    const written = plan.outputs.map(({ name, size }, nth) => {
      if (given[nth]?.size < size) throw new RangeError(`${name}: ${given[nth].size} bytes of ${size}`);
      const fresh = () => this.device.createBuffer({ label: name, size: Math.max(size, 16), usage: GPUBufferUsage.STORAGE | usage });
      return given[nth] ?? { buffer: fresh(), offset: 0, size };
    });
    const based = (one) => ({ buffer: one.buffer, offset: one.offset - this.#behind(one) });
    const bound = new Bound(this.device, plan, all.map(based), written.map(based));
    return Object.assign(bound, { plan, outputs: written, own: written.filter((_, nth) => !given[nth]) });
  }

  // Records into a command encoder or a compute pass. Buffers are bound when they first come together.
  encode(target, inputs, outputs = {}) {
    const ids = [...Object.entries(inputs), ...Object.entries(outputs)].map(([name, one]) => {
      if (name === "len") return [name, one];
      const { buffer, offset, size } = rangeOf(one, name);
      if (!this.bound.has(buffer)) this.bound.set(buffer, { id: (this.ids = (this.ids ?? 0) + 1), bound: new Map() });
      return [name, this.bound.get(buffer).id, offset, size];
    });
    const first = Object.entries(inputs).find(([name]) => name !== "len")?.[1];
    const { bound } = this.bound.get(rangeOf(first, "the input").buffer);
    kept(bound, JSON.stringify(ids), () => this.bind(inputs, outputs)).encode(target);
  }

  // Records, submits, waits, and returns the results: a number or typed array for one output, an object of them for several. Outputs that are
  // given need the usage `COPY_SRC`; the others are allocated, and hold zeros before.
  async run(inputs, outputs = {}) {
    const { device, operation: { name, border = "fixed" } } = this;
    if (name === "jacobi" && border === "fixed" && !outputs.next) throw new TypeError("next is missing: it holds the fixed cells");
    let bound, reading, scope;
    device.pushErrorScope("validation");
    try {
      const encoder = device.createCommandEncoder();
      bound = this.bind(inputs, outputs, GPUBufferUsage.COPY_SRC);
      bound.encode(encoder);
      reading = read(device, bound.plan.outputs.map(({ size }, nth) => ({ ...bound.outputs[nth], size })), encoder);
    } finally {
      scope = device.popErrorScope();
    }
    const [error, parts] = await Promise.all([scope, reading]);
    bound.own.forEach(({ buffer }) => buffer.destroy());
    bound.destroy();
    if (error) throw new Error(error.message);
    return this.#results(bound.plan, parts);
  }

  #results({ outputs }, parts) {
    const { name, rows, axis, segments, offsets, groups } = this.operation;
    const values = outputs.map(({ fields }, nth) => valuesOf(fields, parts[nth]));
    const all = Object.fromEntries(outputs.map((output, nth) => [output.name, values[nth]]));
    const numbers = ["len", "count", "rejected"].filter((one) => outputs.some(({ name, size }) => name === one && size === 4));
    for (const one of numbers) if (!(name.startsWith("group") && one === "count")) all[one] = all[one][0];
    if (name === "group-by-key" && all.rejected > 0) throw new RangeError(`${all.rejected} pairs have keys beyond the first ${groups}: allow more groups`);
    // Of fewer elements than winners, the last places have this index.
    const none = name === "top-k" && !rows && !offsets ? all.indices.indexOf(2 ** 32 - 1) : -1;
    const found = none < 0 ? all.len ?? (name === "select" || name === "unique" ? all.count : undefined) : none;
    if (found !== undefined) for (const { name: one } of outputs) if (typeof all[one] !== "number") all[one] = all[one].slice(0, found);
    if (name === "select" || name === "unique") return all.kept;
    if (outputs.length > 1) return all;
    return name === "reduce" && !rows && !axis && segments === undefined ? values[0][0] : values[0];
  }
}

// Submits, waits, and returns the bytes of parts of buffers, which need the usage `COPY_SRC`.
export async function read(device, ranges, encoder = device.createCommandEncoder()) {
  const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ;
  const staging = device.createBuffer({ size: ranges.reduce((sum, { size }) => sum + size, 4), usage });
  let end = 0;
  const places = ranges.map(({ buffer, offset, size }) => {
    if (size > 0) encoder.copyBufferToBuffer(buffer, offset, staging, end, size);
    return [end, (end += size)];
  });
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const all = staging.getMappedRange();
  const bytes = places.map(([from, to]) => all.slice(from, to));
  staging.destroy();
  return bytes;
}

// The values of an output: a typed array, or lists of the numbers of each, of four bytes.
function valuesOf(fields, bytes) {
  const columns = fields.map((field) => new TYPES[field][1](bytes));
  const value = (_, nth) => columns.map((column, at) => column[nth * fields.length + at]);
  return fields.length === 1 ? columns[0] : Array.from({ length: columns[0].length / fields.length }, value);
}

// An operation by its name, with the settings that docs/plan.md lists.
export const operation = async (device, settings) => new Operation(device, settings, await load());

const named = (name, own = {}) => (device, settings) => operation(device, { ...settings, ...own, name });

export const sumPrecise = named("reduce", { op: "sum", exact: true });
export const [reduce, quantiles, topK, histogram, scan, select, unique, runLengths, reduceRuns, groupById, groupByKey, jacobi] = [
  "reduce", "quantiles", "top-k", "histogram", "scan", "select", "unique", "run-lengths", "reduce-runs", "group-by-id", "group-by-key", "jacobi",
].map((name) => named(name));
