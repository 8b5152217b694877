// The visitor's GPU: opening it, texts that become pipelines, buffers, reading back.
"use strict";

// The reason why nothing can run here, in words for the visitor.
class NoGpu extends Error {}

// Opens the preferred adapter with the features that help, and describes it.
async function openGpu() {
  if (!navigator.gpu) {
    throw new NoGpu(isSecureContext
      ? "This browser has no WebGPU. Chrome and Edge from 113, Safari from 26 and Firefox from 141 have it, on most systems."
      : "Browsers offer WebGPU on https:, on localhost and in files only: this address is none of them.");
  }
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) {
    throw new NoGpu("This browser has WebGPU, but offers no adapter: the GPU or its driver is on its list of those that do not work, or hardware acceleration is switched off in its settings.");
  }
  // Kernels ask where a subgroup lies in its workgroup: the first browsers with subgroups did not tell.
  const words = navigator.gpu.wgslLanguageFeatures;
  const tellsSubgroups = adapter.features.has("subgroups") && (!words || words.has("subgroup_id"));
  const wanted = ["timestamp-query"].filter((name) => adapter.features.has(name));
  if (tellsSubgroups) wanted.push("subgroups");
  // Plans are made for the limits that every device has, and for larger workgroups where the device has those.
  const invocations = HALOFOLD.sizes.map(([, needed]) => needed).reduce((a, b) => Math.max(a, b));
  const isLarge = adapter.limits.maxComputeInvocationsPerWorkgroup >= invocations && adapter.limits.maxComputeWorkgroupSizeX >= invocations;
  const requiredLimits = isLarge
    ? { maxComputeInvocationsPerWorkgroup: invocations, maxComputeWorkgroupSizeX: invocations } : {};
  const device = await adapter.requestDevice({ label: "halofold", requiredFeatures: wanted, requiredLimits });
  const info = adapter.info ?? {};
  const name = info.description || [info.vendor, info.architecture].filter(Boolean).join(" ") || "a GPU without a name";
  const gpu = {
    device,
    name,
    vendor: info.vendor ?? "",
    isSoftware: Boolean(info.isFallbackAdapter ?? adapter.isFallbackAdapter) || /swiftshader|llvmpipe|basic render/i.test(name + info.architecture),
    hasSubgroups: device.features.has("subgroups"),
    subgroupRange: [info.subgroupMinSize ?? 0, info.subgroupMaxSize ?? 0],
    // Set to false once timestamps make no sense.
    hasStamps: device.features.has("timestamp-query"),
    invocations: device.limits.maxComputeInvocationsPerWorkgroup,
    pipelines: new Map(),
    lost: null,
  };
  device.lost.then(({ reason, message }) => { gpu.lost = message || reason || "no reason given"; });
  return gpu;
}

// The text of a module with its constants pasted: Safari makes workgroup arrays of an `override`'s size empty.
function moduleText(number, constants) {
  const text = HALOFOLD.modules[number].flatMap((piece) => HALOFOLD.pieces[piece]).map((paragraph) => HALOFOLD.paragraphs[paragraph])
    .join("\n\n").replaceAll("\t", "    ") + "\n";
  const values = new Map(constants);
  return text.replace(/^override (\w+): (\w+) = (.*);$/gm, (line, name, type, usual) => {
    const value = values.get(name);
    const written = value === undefined ? usual : type === "bool" ? String(value !== 0) : `${value}u`;
    return `const ${name}: ${type} = ${written};`;
  });
}

// The bindings of group 0 that a text declares.
function declaredSlots(text) {
  const found = text.matchAll(/^@group\(0\) @binding\((\d+)\) var<(\w+)(?:, (\w+))?>/gm);
  return [...found].map(([, binding, space, access]) => ({
    binding: Number(binding),
    type: space === "uniform" ? "uniform" : access === "read_write" ? "storage" : "read-only-storage",
  }));
}

// A module compiled with its constants, once. Throws the browser's compiler errors.
async function compile(gpu, number, constants) {
  const text = moduleText(number, constants);
  if (!gpu.pipelines.has(text)) gpu.pipelines.set(text, compileText(gpu, text));
  return gpu.pipelines.get(text);
}

async function compileText({ device }, text) {
  const slots = declaredSlots(text);
  const layout = device.createBindGroupLayout({
    entries: slots.map(({ binding, type }) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } })),
  });
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code: text });
  const refused = await device.popErrorScope();
  if (refused) throw new Error(refused.message);
  const pipeline = await device.createComputePipelineAsync({
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module, entryPoint: "main" },
  });
  return { pipeline, layout, slots: slots.map(({ binding }) => binding) };
}

// A group of bindings: `resource` gives the resource of a slot.
function bind({ device }, { layout, slots }, resource) {
  return device.createBindGroup({ layout, entries: slots.map((binding) => ({ binding, resource: resource(binding) })) });
}

// A buffer for storage of this many bytes, at least some.
function storage({ device }, bytes) {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  return device.createBuffer({ size: Math.max(128, Math.ceil(bytes / 4) * 4), usage });
}

// Blocks of words for the uniforms of several launches, and where each lies.
const BLOCK = 256;

function uniforms({ device }, blocks) {
  const buffer = device.createBuffer({ size: BLOCK * Math.max(1, blocks.length), usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  blocks.forEach((words, at) => device.queue.writeBuffer(buffer, BLOCK * at, new Uint32Array(words)));
  return (at) => ({ buffer, offset: BLOCK * at, size: 128 });
}

// Writes in pieces: a browser copies each on the way to its GPU process.
function upload({ device }, buffer, bytes) {
  const piece = 1 << 24;
  const view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < view.length; at += piece) {
    const part = view.subarray(at, at + piece);
    const whole = part.length & ~3;
    device.queue.writeBuffer(buffer, at, part, 0, whole);
    if (whole < part.length) {
      // Writes are whole words; an odd number of halves leaves half of one.
      const rest = new Uint8Array(4);
      rest.set(part.subarray(whole));
      device.queue.writeBuffer(buffer, at + whole, rest);
    }
  }
}

// The first bytes of a buffer, on the host.
async function readBack({ device }, buffer, bytes) {
  const size = Math.max(4, Math.ceil(bytes / 4) * 4);
  const staging = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const copy = staging.getMappedRange().slice(0);
  staging.destroy();
  return copy;
}

// Records dispatches into a pass.
function record(pass, dispatches) {
  let current = null;
  for (const { pipeline, bindings, grid } of dispatches) {
    if (pipeline !== current) pass.setPipeline(pipeline);
    current = pipeline;
    pass.setBindGroup(0, bindings);
    pass.dispatchWorkgroups(grid[0], grid[1]);
  }
}

// Runs dispatches once. Answers when the GPU has done them.
async function runOnce({ device }, dispatches) {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  record(pass, dispatches);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
}
