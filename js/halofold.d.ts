/** A buffer with the usage `STORAGE`, or a part of one. */
export type Range = GPUBuffer | { buffer: GPUBuffer; offset?: number; size?: number };

export type Type = "u32" | "i32" | "f32" | "f16";

/** One value of an output: a number, or the numbers of a value with several. */
export type Results = Uint32Array | Int32Array | Float32Array | BigUint64Array | BigInt64Array | (number | bigint)[][];

/** Inputs by name. `len` takes only the first elements; `count` is a `u32` on the GPU with their number. */
export type Inputs = { len?: number } & {
  [name in "elements" | "second" | "keys" | "values" | "cells" | "rhs" | "offsets" | "parameters" | "count"]?: Range;
};

/** Outputs by name. `results` is the first one. Those that are left out are allocated. */
export type Outputs = { [name: string]: Range };

/** An operator: one of halofold's by its name, or one in WGSL. */
export type Operator =
  | { op: string; type: Type }
  | { wgsl: string; type: Type; inputs?: 1 | 2 }
  | { wgsl: string; elementSize: number; inputs?: 1 | 2 };

/** Rows of one length, or segments between offsets. */
export type Cut = { rows?: number; offsets?: number[] };

export type Result = "count" | "sum" | "mean" | "min" | "max" | "variance" | "sample_variance";

/** Settings of all operations: whether kernels use subgroup operations, if the device has them. True by default. */
export type Common = { subgroups?: boolean };

export type Reduction = Operator & Common & {
  exact?: boolean; rows?: number; axis?: [outer: number, length: number, inner: number]; stride?: number;
  segments?: number; accumulate?: boolean;
};

/** Dispatches with their buffers, ready to be recorded any number of times. */
export class Bound {
  constructor(device: GPUDevice, plan: Plan, inputs: { buffer: GPUBuffer; offset: number }[], outputs: { buffer: GPUBuffer; offset: number }[]);
  /** Records into a compute pass, or into a new pass of an encoder. It allocates nothing. */
  encode(target: GPUCommandEncoder | GPUComputePassEncoder): void;
  /** Frees the plan's own buffers. */
  destroy(): void;
}

/** An operation on a device, over inputs of any length. */
export class Operation<R = Results | { [output: string]: Results | number }> {
  /** Binds buffers and compiles what is not compiled yet. `usage` is that of outputs that are allocated. */
  bind(inputs: Inputs, outputs?: Outputs, usage?: GPUBufferUsageFlags): Bound & {
    plan: Plan; outputs: { buffer: GPUBuffer; offset: number; size: number }[];
  };
  /** Records into an encoder or a pass. Buffers are bound when they first come together. */
  encode(target: GPUCommandEncoder | GPUComputePassEncoder, inputs: Inputs, outputs: Outputs): void;
  /** Records, submits, waits, and returns the results. Outputs that are given need the usage `COPY_SRC`. */
  run(inputs: Inputs, outputs?: Outputs): Promise<R>;
  /** The plan for `len` elements. */
  plan(len: number, offsets?: [number, number], host?: object): Plan;
}

/** A plan: see docs/plan.md. */
export interface Plan {
  halofold: 1;
  label: string;
  modules: string[];
  pipelines: { label: string; module: number; entry: string; constants: Record<string, number>; bindings: [number, GPUBufferBindingType][] }[];
  buffers: { size: number; words: number[] }[];
  inputs: string[];
  outputs: { name: string; size: number; fields: string[] }[];
  dispatches: {
    pipeline: number; workgroups: [number, number];
    bindings: { binding: number; of: "input" | "output" | "buffer"; index: number; offset: number; size: number | null }[];
  }[];
  depth: number | null;
}

type Make<S, R> = (device: GPUDevice, settings: S & Common) => Promise<Operation<R>>;

/** Loads the planner from an address, bytes or a module. Operations call it themselves, for `halofold.wasm` beside the script. */
export function load(source?: URL | string | BufferSource | WebAssembly.Module): Promise<object>;
/** The plan of a request: see docs/plan.md. */
export function plan(request: object): Promise<Plan>;
/** An operation by its name. */
export const operation: Make<{ name: string; [setting: string]: unknown }, any>;
/** Submits what an encoder holds, waits, and returns the bytes of parts of buffers with the usage `COPY_SRC`. */
export function read(device: GPUDevice, ranges: { buffer: GPUBuffer; offset: number; size: number }[], encoder?: GPUCommandEncoder): Promise<ArrayBuffer[]>;
/** The WGSL of a plan's pipeline, with its constants. */
export function moduleText(plan: Plan, pipeline: Plan["pipelines"][number]): string;

/** A number; a list of numbers for operators such as `min-max`; an array with `rows`, `axis` or `segments`. */
export const reduce: Make<Reduction, any>;
/** The sum rounded once: the same bits on every GPU. */
export const sumPrecise: Make<{ type: Type } & Omit<Reduction, "op" | "wgsl" | "exact">, number | Results>;
export const quantiles: Make<{ type: Type; q?: number[]; nth?: number[] } & Cut, Float32Array | Results>;
export const topK: Make<{ type: Type; k: number; smallest?: boolean } & Cut, { values: Results; indices: Uint32Array }>;
export const histogram: Make<{ bins: number; range?: [number, number]; edges?: number[]; add?: boolean }, Uint32Array>;
export const scan: Make<Operator & Cut & { exact?: boolean; exclusive?: boolean }, Results>;
export const select: Make<{ type: Type; wgsl: string; indices?: boolean }, Results>;
export const unique: Make<{ type: Type }, Results>;
export const runLengths: Make<{ key: Type }, { keys: Results; results: Uint32Array; len: number }>;
export const reduceRuns: Make<Operator & { key: Type; exact?: boolean }, { keys: Results; results: Results; len: number }>;
export const groupById: Make<{ type: Type; groups: number; results: Result[] }, { [result: string]: Results | number }>;
export const groupByKey: Make<{ key: Type; type: Type; groups: number; results: Result[] }, { keys: Results; len: number; [result: string]: Results | number }>;
export const jacobi: Make<{ stencil: string; type: Type; grid: string; weights?: number[]; border?: string; variant?: string; rhs?: boolean }, Float32Array>;
