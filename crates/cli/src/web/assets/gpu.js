// The visitor's GPU: opening it, buffers, submitting.

// Opens the preferred adapter with the features that help, and describes it. Throws the reason, in words for the visitor.
async function openGpu() {
  const fail = (reason) => { throw new Error(reason); };
  if (!isSecureContext) fail("Browsers offer WebGPU on https:, on localhost and in files only: this address is none of them.");
  if (!navigator.gpu) fail("This browser has no WebGPU. Chrome and Edge from 113, Safari from 26 and Firefox from 141 have it, on most systems.");
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) fail("This browser has WebGPU, but offers no adapter: it blocks the GPU or its driver, or hardware acceleration is off in its settings.");
  // Kernels read where a subgroup lies in its workgroup: the first browsers with subgroups have no `subgroup_id`.
  const hasIds = navigator.gpu.wgslLanguageFeatures?.has("subgroup_id") !== false;
  const requiredFeatures = ["timestamp-query", ...(hasIds ? ["subgroups"] : [])].filter((name) => adapter.features.has(name));
  // Plans are made for the limits that every device has, and for larger workgroups where the device has those.
  const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX } = adapter.limits;
  const requiredLimits = { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX };
  const device = await adapter.requestDevice({ label: "halofold", requiredFeatures, requiredLimits });
  const info = adapter.info ?? {};
  const name = info.description || [info.vendor, info.architecture].filter(Boolean).join(" ") || "a GPU without a name";
  const isFallback = Boolean(info.isFallbackAdapter ?? adapter.isFallbackAdapter);
  const [hasSubgroups, hasStamps] = ["subgroups", "timestamp-query"].map((feature) => device.features.has(feature));
  const gpu = {
    device, name, hasSubgroups, subgroupRange: [info.subgroupMinSize ?? 0, info.subgroupMaxSize ?? 0], lost: null,
    isSoftware: isFallback || /swiftshader|llvmpipe|basic render/i.test(name + info.architecture),
    hasStamps, // Set to false once timestamps make no sense.
    invocations: device.limits.maxComputeInvocationsPerWorkgroup,
  };
  device.lost.then(({ reason, message }) => { gpu.lost = message || reason || "no reason given"; });
  return gpu;
}

// A buffer of this many bytes, which holds `data` if there is any.
function storage({ device }, size, data) {
  const buffer = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
  if (data) device.queue.writeBuffer(buffer, 0, data);
  return buffer;
}

// Binds a plan of one input and one output to two buffers.
const bind = ({ device }, plan, ...buffers) => new Bound(device, plan, ...buffers.map((buffer) => [{ buffer, offset: 0 }]));

// Records a bound plan, some times over, as one pass.
function record(encoder, bound, repeats, timestampWrites) {
  const pass = encoder.beginComputePass({ timestampWrites });
  for (let k = 0; k < repeats; k += 1) bound.encode(pass);
  pass.end();
}

// Runs a bound plan and waits for the GPU. Returns milliseconds from submission to completion.
async function submit({ device }, bound, repeats = 1) {
  const encoder = device.createCommandEncoder();
  record(encoder, bound, repeats);
  const commands = encoder.finish();
  const start = performance.now();
  device.queue.submit([commands]);
  await device.queue.onSubmittedWorkDone();
  return performance.now() - start;
}
