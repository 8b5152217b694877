// The visitor's GPU: opening it, texts that become pipelines, buffers, submitting, reading back.
"use strict";

// Opens the preferred adapter with the features that help, and describes it. Throws the reason, in words for the visitor.
async function openGpu() {
  if (!navigator.gpu) {
    throw new Error(isSecureContext
      ? "This browser has no WebGPU. Chrome and Edge from 113, Safari from 26 and Firefox from 141 have it, on most systems."
      : "Browsers offer WebGPU on https:, on localhost and in files only: this address is none of them.");
  }
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) {
    throw new Error("This browser has WebGPU, but offers no adapter: it blocks the GPU or its driver, or hardware acceleration is off in its settings.");
  }
  // Kernels ask where a subgroup lies in its workgroup: the first browsers with subgroups have no `subgroup_id`.
  const wanted = ["timestamp-query", ...(navigator.gpu.wgslLanguageFeatures?.has("subgroup_id") === false ? [] : ["subgroups"])];
  // Plans are made for the limits that every device has, and for larger workgroups where the device has those.
  const most = Math.max(...HALOFOLD.sizes.map(([, needed]) => needed));
  const upTo = (limit) => ({ [limit]: Math.min(most, adapter.limits[limit]) });
  const device = await adapter.requestDevice({
    label: "halofold",
    requiredFeatures: wanted.filter((name) => adapter.features.has(name)),
    requiredLimits: { ...upTo("maxComputeInvocationsPerWorkgroup"), ...upTo("maxComputeWorkgroupSizeX") },
  });
  const info = adapter.info ?? {};
  const name = info.description || [info.vendor, info.architecture].filter(Boolean).join(" ") || "a GPU without a name";
  const gpu = {
    device,
    name,
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

// A module compiled with its constants, once. Throws the browser's compiler errors.
async function compile(gpu, number, constants) {
  const text = moduleText(number, constants);
  if (!gpu.pipelines.has(text)) gpu.pipelines.set(text, compileText(gpu, text));
  return gpu.pipelines.get(text);
}

async function compileText({ device }, text) {
  // The bindings of group 0 that the text declares.
  const found = [...text.matchAll(/^@group\(0\) @binding\((\d+)\) var<(\w+)(?:, (\w+))?>/gm)];
  const entries = found.map(([, binding, space, access]) => ({
    binding: Number(binding),
    visibility: GPUShaderStage.COMPUTE,
    buffer: { type: space === "uniform" ? "uniform" : access === "read_write" ? "storage" : "read-only-storage" },
  }));
  const layout = device.createBindGroupLayout({ entries });
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code: text });
  const refused = await device.popErrorScope();
  if (refused) throw new Error(refused.message);
  const pipeline = await device.createComputePipelineAsync({
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module, entryPoint: "main" },
  });
  return { pipeline, layout, slots: entries.map(({ binding }) => binding) };
}

// A dispatch of a compiled module: `resource` returns the resource of a slot.
function dispatch({ device }, { pipeline, layout, slots }, grid, resource) {
  const bindings = device.createBindGroup({ layout, entries: slots.map((binding) => ({ binding, resource: resource(binding) })) });
  return { pipeline, bindings, grid };
}

// A buffer of this many bytes or some more, which holds `data` if there is any.
function storage({ device }, bytes, data) {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({ size: Math.max(128, bytes), usage });
  if (data) device.queue.writeBuffer(buffer, 0, data);
  return buffer;
}

// Blocks of words for the uniforms of several dispatches: a function that returns the resource of each.
const BLOCK_BYTES = 256;
function uniforms({ device }, blocks) {
  const buffer = device.createBuffer({ size: BLOCK_BYTES * Math.max(1, blocks.length), usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  blocks.forEach((words, at) => device.queue.writeBuffer(buffer, BLOCK_BYTES * at, new Uint32Array(words)));
  return (at) => ({ buffer, offset: BLOCK_BYTES * at, size: 128 });
}

// The first bytes of a buffer, on the host.
async function readBack({ device }, buffer, bytes) {
  const staging = device.createBuffer({ size: bytes, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, bytes);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const copy = staging.getMappedRange().slice(0);
  staging.destroy();
  return copy;
}

// Records dispatches, some times over, as one pass.
function record(encoder, dispatches, repeats = 1, timestampWrites = undefined) {
  const pass = encoder.beginComputePass({ timestampWrites });
  for (let k = 0; k < repeats; k += 1) {
    for (const { pipeline, bindings, grid } of dispatches) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindings);
      pass.dispatchWorkgroups(grid[0], grid[1]);
    }
  }
  pass.end();
}

// Runs dispatches and waits for the GPU. Returns milliseconds from submission to completion.
async function submit({ device }, dispatches, repeats = 1) {
  const encoder = device.createCommandEncoder();
  record(encoder, dispatches, repeats);
  const commands = encoder.finish();
  const start = performance.now();
  device.queue.submit([commands]);
  await device.queue.onSubmittedWorkDone();
  return performance.now() - start;
}
