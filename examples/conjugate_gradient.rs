//! Solves a Poisson equation by conjugate gradients. The scalars never leave the GPU.
//!
//! `cargo run --release --example conjugate_gradient`
//!
//! `A x = b` on a grid of cells, where `A x = 4 x - (north + south + west + east)` and cells beyond the edge
//! are zero. Every iteration needs two dot products, and the steps after them need their quotients. A round
//! trip through the host would take as long as several iterations. Here an iteration is one compute pass, and
//! the host reads the residual once every 25 iterations:
//!
//! ```text
//! q = A p (application) → p·q (halofold) → x += α p, r -= α q (application) → r·r (halofold) → p = r + β p (application)
//! ```

use halofold::read::Readback;
use halofold::reduce::{Both, Op, Reduce};
use halofold::wgpu::{self, util::DeviceExt as _};
use halofold::{Compiled, Element};

type Error = Box<dyn std::error::Error>;

/// Cells of a side.
pub const SIDE: usize = 200;

/// Iterations between two readbacks of the residual.
const LOOK: u32 = 25;

/// The application's kernels. Each binds the buffers that it names. `rr` holds r·r twice: of this iteration
/// and of the previous one.
const KERNELS: &str = "
const SIDE = 200u;
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;
@group(0) @binding(2) var<storage, read_write> p: array<f32>;
@group(0) @binding(3) var<storage, read_write> q: array<f32>;
@group(0) @binding(4) var<storage, read_write> pq: f32;
@group(0) @binding(5) var<storage, read_write> before: f32;
@group(0) @binding(6) var<storage, read_write> rr: f32;

// The search direction at a cell.
fn at(row: u32, column: u32) -> f32 {
    // A coordinate below zero wraps around to a number far beyond the other edge.
    if max(row, column) >= SIDE { return 0.0; }
    return p[row * SIDE + column];
}

@compute @workgroup_size(64)
fn apply(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= SIDE * SIDE { return; }
    let row = id.x / SIDE;
    let column = id.x % SIDE;
    let beside = at(row, column - 1u) + at(row, column + 1u);
    q[id.x] = 4.0 * p[id.x] - (at(row - 1u, column) + at(row + 1u, column) + beside);
}

@compute @workgroup_size(64)
fn advance(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= SIDE * SIDE { return; }
    let alpha = before / pq;
    x[id.x] += alpha * p[id.x];
    r[id.x] -= alpha * q[id.x];
}

@compute @workgroup_size(64)
fn turn(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= SIDE * SIDE { return; }
    p[id.x] = r[id.x] + rr / before * p[id.x];
}
";

/// The outcome of a run.
pub struct Outcome {
    /// The number of iterations.
    pub iterations: u32,
    /// The solution.
    pub x: Vec<f32>,
}

fn main() -> Result<(), Error> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))?;
    let outcome = run(&device, &queue, &charges())?;
    let largest = outcome.x.iter().copied().fold(0.0, f32::max);
    println!(
        "{} iterations on {}; the largest value is {largest}",
        outcome.iterations,
        adapter.get_info().name
    );
    Ok(())
}

/// A right-hand side: two opposite charges.
pub fn charges() -> Vec<f32> {
    let mut b = vec![0.0; SIDE * SIDE];
    (b[SIDE / 4 * SIDE + SIDE / 3], b[3 * SIDE / 4 * SIDE + SIDE / 2]) = (1.0, -1.0);
    b
}

/// Solves `A x = b` until the residual is a millionth of `b`. If it does not converge, it stops after ten
/// times as many iterations as a side has cells.
pub fn run(device: &wgpu::Device, queue: &wgpu::Queue, b: &[f32]) -> Result<Outcome, Error> {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let buffer = |contents: &[f32]| {
        let contents = bytemuck::cast_slice(contents);
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
    };
    // x = 0, so r = p = b.
    let [x, q] = [(); 2].map(|()| buffer(&vec![0.0; b.len()]));
    let [r, p] = [(); 2].map(|()| buffer(b));
    let [pq, before, rr] = [(); 3].map(|()| buffer(&[0.0]));

    let kernels = Kernels::new(device, [&x, &r, &p, &q, &pq, &before, &rr]);
    let [apply, advance, turn] =
        [("apply", &[2, 3][..]), ("advance", &[0, 1, 2, 3, 4, 5]), ("turn", &[1, 2, 5, 6])]
            .map(|(entry_point, bindings)| kernels.kernel(entry_point, bindings));

    // halofold's part: one operator, bound twice.
    let dot = Compiled::new(device, Reduce::new(Op::Dot.over(Element::F32)?), &Default::default())?;
    let p_dot_q = dot.of(Both { first: &p, second: &q }).bind(&pq)?;
    let r_and_r = Both { first: &r, second: &r };
    let r_dot_r = dot.of(r_and_r).bind(&rr)?;
    let start: f32 = dot.of(r_and_r).run(queue)?;
    queue.write_buffer(&before, 0, &start.to_ne_bytes());

    let iteration = |encoder: &mut wgpu::CommandEncoder| {
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            apply.dispatch(&mut pass);
            p_dot_q.encode_in_pass(&mut pass);
            advance.dispatch(&mut pass);
            r_dot_r.encode_in_pass(&mut pass);
            turn.dispatch(&mut pass);
        }
        encoder.copy_buffer_to_buffer(&rr, 0, &before, 0, 4);
    };
    let readback = Readback::new(device, 4);
    let mut iterations = 0;
    let mut residual = start;
    while residual > 1e-12 * start && iterations < 10 * SIDE as u32 {
        let mut encoder = device.create_command_encoder(&Default::default());
        (0..LOOK).for_each(|_| iteration(&mut encoder));
        readback.encode(&mut encoder, &rr, 0, 4)?;
        queue.submit([encoder.finish()]);
        iterations += LOOK;
        residual = dot.results(&readback.wait(4)?)?;
    }
    let readback = Readback::new(device, x.size());
    let mut encoder = device.create_command_encoder(&Default::default());
    readback.encode(&mut encoder, &x, 0, x.size())?;
    queue.submit([encoder.finish()]);
    Ok(Outcome { iterations, x: bytemuck::pod_collect_to_vec(&readback.wait(x.size())?) })
}

/// The application's module and its buffers.
struct Kernels<'a> {
    device: &'a wgpu::Device,
    module: wgpu::ShaderModule,
    buffers: [&'a wgpu::Buffer; 7],
}

/// A pipeline with its bindings.
struct Kernel {
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroup,
}

impl<'a> Kernels<'a> {
    fn new(device: &'a wgpu::Device, buffers: [&'a wgpu::Buffer; 7]) -> Self {
        let source = wgpu::ShaderSource::Wgsl(KERNELS.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        Kernels { device, module, buffers }
    }

    fn kernel(&self, entry_point: &str, bindings: &[u32]) -> Kernel {
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry_point),
            layout: None,
            module: &self.module,
            entry_point: Some(entry_point),
            compilation_options: Default::default(),
            cache: None,
        });
        let entry = |&binding: &u32| wgpu::BindGroupEntry {
            binding,
            resource: self.buffers[binding as usize].as_entire_binding(),
        };
        let bindings = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(entry_point),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &bindings.iter().map(entry).collect::<Vec<_>>(),
        });
        Kernel { pipeline, bindings }
    }
}

impl Kernel {
    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.dispatch_workgroups((SIDE * SIDE).div_ceil(64) as u32, 1, 1);
    }
}
