// Heat that spreads: a grid of cells on the GPU, stepped live by a kernel of the stencil, drawn upon by the pointer.
//
// Each step makes a cell the mean of itself and its four neighbours; the rim stays cold. The two buffers of cells take turns, and the
// picture is made by a fragment shader from the one that was written last: cells never leave the GPU.
"use strict";

const PAINTER = `
@group(0) @binding(0) var<storage, read> cells: array<f32>;
@group(0) @binding(1) var<uniform> size: vec4<u32>;

@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    // One triangle that covers the picture.
    return vec4<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

// From dark through red and yellow to white.
@fragment
fn colour(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let place = min(vec2<u32>(at.xy * vec2<f32>(size.yx) / vec2<f32>(size.wz)), size.yx - vec2<u32>(1u));
    let heat = sqrt(clamp(cells[place.y * size.y + place.x], 0.0, 1.0));
    return vec4<f32>(clamp(vec3<f32>(3.0 * heat, 3.0 * heat - 1.0, 3.0 * heat - 2.0), vec3<f32>(0.05, 0.05, 0.09), vec3<f32>(1.0)), 1.0);
}
`;

// The radius of the brush in cells.
const BRUSH = 7;

class Heat {
  constructor(gpu, canvas, say) {
    Object.assign(this, { gpu, canvas, say, running: false, wanted: 16, current: 0, steps: 0, since: 0 });
    this.grid = HALOFOLD.grids.length - 1;
    [this.rows, this.cols] = HALOFOLD.grids[this.grid];
    Object.assign(canvas, { width: 2 * this.cols, height: 2 * this.rows });
    this.buffers = [0, 1].map(() => storage(gpu, 4 * this.rows * this.cols));
    this.listen();
  }

  // Compiles the painter and a variant's kernel.
  async prepare(variant) {
    const { device } = this.gpu;
    this.context = this.canvas.getContext("webgpu");
    const format = navigator.gpu.getPreferredCanvasFormat();
    this.context.configure({ device, format, alphaMode: "opaque" });
    const module = device.createShaderModule({ code: PAINTER });
    this.painter = await device.createRenderPipelineAsync({
      layout: "auto", vertex: { module, entryPoint: "corner" }, fragment: { module, entryPoint: "colour", targets: [{ format }] },
    });
    const size = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(size, 0, new Uint32Array([this.rows, this.cols, this.canvas.height, this.canvas.width]));
    this.pictures = this.buffers.map((buffer) => device.createBindGroup({
      layout: this.painter.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer } }, { binding: 1, resource: { buffer: size } }],
    }));
    await this.choose(variant);
  }

  async choose(variant) { this.there = await prepareSteps(this.gpu, variant, this.grid, this.buffers); }

  // A cold grid.
  clear() { for (const buffer of this.buffers) upload(this.gpu, buffer, new Float32Array(this.rows * this.cols)); }

  // A few hot marks, so that there is something to see before the visitor draws.
  greet() {
    this.clear();
    for (let k = 0; k <= 60; k += 1) {
      const angle = (k / 60) * 2 * Math.PI;
      this.heat(this.cols / 2 + 0.3 * this.rows * Math.cos(angle), this.rows / 2 + 0.3 * this.rows * Math.sin(angle));
      this.heat(this.cols / 2 + (k - 30) * 0.012 * this.rows, this.rows / 2);
    }
  }

  // Heats a disc around a cell, row by row; the rim stays cold.
  heat(x, y) {
    const [col, row] = [Math.round(x), Math.round(y)];
    for (let r = Math.max(1, row - BRUSH); r <= Math.min(this.rows - 2, row + BRUSH); r += 1) {
      const half = Math.floor(Math.sqrt(BRUSH * BRUSH - (r - row) * (r - row)));
      const [from, to] = [Math.max(1, col - half), Math.min(this.cols - 2, col + half)];
      if (to < from) continue;
      const hot = new Float32Array(to - from + 1).fill(1);
      this.gpu.device.queue.writeBuffer(this.buffers[this.current], 4 * (r * this.cols + from), hot);
    }
  }

  // Draws with a pointer, or with the arrow keys and the space bar.
  listen() {
    const { canvas } = this;
    const place = ({ offsetX, offsetY }) => [(offsetX / canvas.clientWidth) * this.cols, (offsetY / canvas.clientHeight) * this.rows];
    let from = null;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      from = place(event);
      this.heat(...from);
      this.show();
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!from) return;
      const to = place(event);
      // Discs along the way: pointers jump.
      const discs = Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / (BRUSH / 2));
      for (let k = 1; k <= discs; k += 1) this.heat(from[0] + ((to[0] - from[0]) * k) / discs, from[1] + ((to[1] - from[1]) * k) / discs);
      from = to;
      this.show();
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { from = null; });
    let cursor = [this.cols / 2, this.rows / 2];
    canvas.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], " ": [0, 0] }[event.key];
      if (!move) return;
      event.preventDefault();
      cursor = [Math.min(this.cols - 2, Math.max(1, cursor[0] + BRUSH * move[0])), Math.min(this.rows - 2, Math.max(1, cursor[1] + BRUSH * move[1]))];
      this.heat(...cursor);
      this.show();
    });
  }

  start() {
    if (this.running) return;
    Object.assign(this, { running: true, steps: 0, since: performance.now() });
    this.frame();
  }

  stop() { this.running = false; }

  // One picture: some steps, then the drawing. In the background a browser asks for no pictures, and nothing is stepped.
  async frame() {
    while (this.running && !this.gpu.lost) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      if (!this.running) return;
      this.step(this.wanted);
      await this.gpu.device.queue.onSubmittedWorkDone();
      this.count();
    }
  }

  // Steps back and forth between the buffers, and shows the last one.
  step(steps) {
    const encoder = this.gpu.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    for (let k = 0; k < steps; k += 1) {
      record(pass, [this.there[this.current]]);
      this.current = 1 - this.current;
    }
    pass.end();
    this.paint(encoder);
    this.gpu.device.queue.submit([encoder.finish()]);
    this.steps += steps;
  }

  // Shows the drawing while nothing runs.
  show() {
    if (this.running || !this.painter) return;
    const encoder = this.gpu.device.createCommandEncoder();
    this.paint(encoder);
    this.gpu.device.queue.submit([encoder.finish()]);
  }

  paint(encoder) {
    const view = this.context.getCurrentTexture().createView();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: "clear", storeOp: "store" }] });
    pass.setPipeline(this.painter);
    pass.setBindGroup(0, this.pictures[this.current]);
    pass.draw(3);
    pass.end();
  }

  // Steps a second, twice a second.
  count() {
    const ms = performance.now() - this.since;
    if (ms < 500) return;
    this.say(Math.round((1000 * this.steps) / ms));
    Object.assign(this, { steps: 0, since: performance.now() });
  }
}
