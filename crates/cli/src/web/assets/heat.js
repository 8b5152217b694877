// Heat that spreads: a grid of cells on the GPU, stepped live by a kernel of the stencil. The rim stays cold.
// Two buffers of cells take turns, and a fragment shader in the page paints the one that was written last: cells never leave the GPU.

// The width of what is hot at first, in cells, and the steps between two pictures.
const [WIDTH, STEPS] = [7, 16];

class Heat {
  // Makes the painter and binds the plan of a step, and shows the greeting, at each click again.
  constructor(gpu, canvas, plan) {
    const [{ device }, [rows, cols]] = [gpu, HALOFOLD.grid];
    const buffers = [0, 1].map(() => storage(gpu, 4 * rows * cols));
    Object.assign(canvas, { width: 2 * cols, height: 2 * rows });
    const context = canvas.getContext("webgpu");
    Object.assign(this, { gpu, rows, cols, buffers, context, running: false, current: 0 });
    const format = navigator.gpu.getPreferredCanvasFormat();
    context.configure({ device, format, alphaMode: "opaque" });
    const module = device.createShaderModule({ code: place("painter").textContent });
    this.painter = device.createRenderPipeline({ layout: "auto", vertex: { module }, fragment: { module, targets: [{ format }] } });
    const layout = this.painter.getBindGroupLayout(0);
    const size = storage(gpu, 16, new Uint32Array([rows, cols, canvas.height, canvas.width]));
    const entries = (cells) => [cells, size].map((buffer, binding) => ({ binding, resource: { buffer } }));
    this.pictures = buffers.map((cells) => device.createBindGroup({ layout, entries: entries(cells) }));
    this.choose(plan);
    this.greet();
    canvas.onclick = () => this.greet();
  }

  // Binds the plan of a step to the two buffers, there and back.
  choose(plan) {
    this.there?.forEach((bound) => bound.destroy());
    this.there = [this.buffers, this.buffers.toReversed()].map((pair) => bind(this.gpu, plan, ...pair));
  }

  // A cold grid with a hot ring and a hot bar, so that there is something to see.
  greet() {
    const cells = new Float32Array(this.rows * this.cols).map((_, i) => {
      const [across, down] = [Math.abs((i % this.cols) - this.cols / 2), Math.abs(Math.floor(i / this.cols) - this.rows / 2)];
      return Number(Math.abs(Math.hypot(across, down) - 0.3 * this.rows) < WIDTH || (down < WIDTH && across < 0.36 * this.rows));
    });
    for (const buffer of this.buffers) this.gpu.device.queue.writeBuffer(buffer, 0, cells);
    this.step(0);
  }

  // Steps and paints until it is stopped; `say` takes the steps a second. In the background a browser asks for no pictures.
  async start(say) {
    this.running = true;
    for (let [steps, since] = [STEPS, performance.now()]; !this.gpu.lost; steps += STEPS) {
      await new Promise(requestAnimationFrame);
      if (!this.running) return;
      this.step(STEPS);
      await this.gpu.device.queue.onSubmittedWorkDone();
      say((1000 * steps) / (performance.now() - since));
    }
  }

  // Steps back and forth between the buffers, and paints the last one.
  step(steps) {
    const encoder = this.gpu.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    for (let k = 0; k < steps; k += 1, this.current ^= 1) this.there[this.current].encode(pass);
    pass.end();
    const view = this.context.getCurrentTexture().createView();
    const paint = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: "clear", storeOp: "store" }] });
    paint.setPipeline(this.painter);
    paint.setBindGroup(0, this.pictures[this.current]);
    paint.draw(3);
    paint.end();
    this.gpu.device.queue.submit([encoder.finish()]);
  }
}
