// Gives kernels to Tint, the compiler of Chrome, by way of Dawn's null back end, which has no GPU:
//
//   node tint.mjs PACKAGE LIST
//
// PACKAGE is the folder of npm's `webgpu`. LIST has a line of JSON for each kernel: file, entry, constants, and
// whether a pipeline is to be made of it, not the module alone. Answers a line of JSON for
// each in the same order: what was said of it, or an empty text where it was accepted. Dawn for Node crashes after some thousand
// kernels, so a process takes some hundred.
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, list] = process.argv.slice(2);
const { create } = await import(pathToFileURL(join(folder, 'index.js')));
// Subgroups of the null back end are said to be experimental.
const gpu = create(['backend=null', 'enable-dawn-features=allow_unsafe_apis']);
const adapter = await gpu.requestAdapter();
const requiredFeatures = ['subgroups', 'shader-f16'];
const device = await adapter.requestDevice({ requiredFeatures });

async function complaint({ file, entry, constants, pipeline }) {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: readFileSync(file, 'utf8') });
  const { messages } = await module.getCompilationInfo();
  // Warnings, too: a browser prints them into its console.
  const said = messages.map(({ type, lineNum, message }) => `${type} in line ${lineNum}: ${message}`);
  if (said.length === 0 && pipeline) {
    device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: entry, constants } });
  }
  const error = await device.popErrorScope();
  return said.join('\n') || (error?.message ?? '');
}

for (const line of readFileSync(list, 'utf8').trim().split('\n')) {
  writeSync(1, JSON.stringify(await complaint(JSON.parse(line))) + '\n');
}
// Dawn's threads would keep the process.
process.exit(0);
