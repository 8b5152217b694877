// Heat that spreads: a grid of cells on the GPU, stepped live by a kernel of the stencil, drawn upon by the pointer.
//
// Each step makes a cell the mean of itself and its four neighbours; the rim stays cold. The two buffers of cells take turns, and a
// fragment shader paints the one that was written last: cells never leave the GPU. The page holds the shader's text.
"use strict";

// The radius of the brush in cells, and the steps between two pictures.
const BRUSH = 7;
const STEPS = 16;

class Heat {
  running = false;
  current = 0;

  constructor(gpu, canvas) {
    Object.assign(this, { gpu, canvas });
    [this.rows, this.cols] = HALOFOLD.grid;
    this.buffers = [0, 1].map(() => storage(gpu, 4 * this.rows * this.cols));
  }

  // Compiles the painter and a variant's kernel, shows the greeting, and listens to the pointer and the keyboard.
  async prepare(variant) {
    const { canvas, gpu: { device } } = this;
    Object.assign(canvas, { width: 2 * this.cols, height: 2 * this.rows });
    this.context = canvas.getContext("webgpu");
    const format = navigator.gpu.getPreferredCanvasFormat();
    this.context.configure({ device, format, alphaMode: "opaque" });
    const module = device.createShaderModule({ code: place("painter").textContent });
    this.painter = await device.createRenderPipelineAsync({ layout: "auto", vertex: { module }, fragment: { module, targets: [{ format }] } });
    const size = uniforms(this.gpu, [[this.rows, this.cols, canvas.height, canvas.width]])(0);
    this.pictures = this.buffers.map((buffer) => device.createBindGroup({
      layout: this.painter.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer } }, { binding: 1, resource: size }],
    }));
    await this.choose(variant);
    this.greet();
    const at = ({ offsetX, offsetY }) => [(offsetX / canvas.clientWidth) * this.cols, (offsetY / canvas.clientHeight) * this.rows];
    let last = [this.cols / 2, this.rows / 2];
    // Discs along the way: pointers jump.
    const stroke = (to, from = to) => {
      const discs = 1 + Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / (BRUSH / 2));
      for (let k = 1; k <= discs; k += 1) this.heat(from[0] + ((to[0] - from[0]) * k) / discs, from[1] + ((to[1] - from[1]) * k) / discs);
      last = to;
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      stroke(at(event));
    });
    canvas.addEventListener("pointermove", (event) => { if (event.buttons) stroke(at(event), last); });
    canvas.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!move) return;
      event.preventDefault();
      stroke([this.cols - 2, this.rows - 2].map((most, axis) => Math.min(most, Math.max(1, last[axis] + BRUSH * move[axis]))));
    });
  }

  async choose(variant) { this.there = await prepareSteps(this.gpu, variant, this.buffers); }

  // A cold grid with a hot ring and a hot bar, so that there is something to see before the visitor draws.
  greet() {
    const cells = new Float32Array(this.rows * this.cols).map((_, i) => {
      const [across, down] = [Math.abs((i % this.cols) - this.cols / 2), Math.abs(Math.floor(i / this.cols) - this.rows / 2)];
      return Number(Math.abs(Math.hypot(across, down) - 0.3 * this.rows) < BRUSH || (down < BRUSH && across < 0.36 * this.rows));
    });
    for (const buffer of this.buffers) this.gpu.device.queue.writeBuffer(buffer, 0, cells);
    this.step(0);
  }

  // Heats a disc around a cell, row by row; the rim stays cold.
  heat(x, y) {
    const [col, row] = [Math.round(x), Math.round(y)];
    for (let r = Math.max(1, row - BRUSH); r <= Math.min(this.rows - 2, row + BRUSH); r += 1) {
      const half = Math.floor(Math.sqrt(BRUSH ** 2 - (r - row) ** 2));
      const [from, to] = [Math.max(1, col - half), Math.min(this.cols - 2, col + half)];
      const hot = new Float32Array(Math.max(0, to - from + 1)).fill(1);
      this.gpu.device.queue.writeBuffer(this.buffers[this.current], 4 * (r * this.cols + from), hot);
    }
    if (!this.running) this.step(0);
  }

  // Steps and paints until it is stopped; `say` is told the steps a second. In the background a browser asks for no pictures.
  async start(say) {
    this.running = true;
    for (let [steps, since] = [0, performance.now()]; this.running && !this.gpu.lost; steps += STEPS) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      if (!this.running) return;
      this.step(STEPS);
      await this.gpu.device.queue.onSubmittedWorkDone();
      say((1000 * (steps + STEPS)) / (performance.now() - since));
    }
  }

  // Steps back and forth between the buffers, and paints the last one.
  step(steps) {
    const encoder = this.gpu.device.createCommandEncoder();
    record(encoder, Array.from({ length: steps }, (_, k) => this.there[(this.current + k) % 2]));
    this.current = (this.current + steps) % 2;
    const view = this.context.getCurrentTexture().createView();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: "clear", storeOp: "store" }] });
    pass.setPipeline(this.painter);
    pass.setBindGroup(0, this.pictures[this.current]);
    pass.draw(3);
    pass.end();
    this.gpu.device.queue.submit([encoder.finish()]);
  }
}
