//! One of the two places that pieces take in turn on the GPU: buffers for a piece, and what it is reduced to.

use halofold::read::Readback;
use halofold::reduce::{
    Answer, Extent, Form, Input, Op, Output, Prepared, Reducer, Shape, Source, Workspace,
};
use halofold::{Element, wgpu};

use super::layout::{Layout, Share};
use crate::dataset;
use crate::failure::Failure;
use crate::gpu::Gpu;

/// A compiled operator.
pub struct Kernel {
    pub op: Op,
    pub element: Element,
    pub reducer: Reducer,
}

/// What the GPU made of a piece.
pub struct Outcome {
    /// One for each result.
    pub answers: Vec<Answer>,
    /// Combinations on the longest way from an element to a result.
    pub depth: u64,
    /// How long it took, if this adapter tells.
    pub gpu_ms: Option<f64>,
}

/// Buffers for one piece.
pub struct Slot {
    inputs: Vec<wgpu::Buffer>,
    /// Which of the timer's places are this slot's: from here on, one for each kernel.
    first_stamp: u32,
    /// For each kernel, what the last piece was bound to: all pieces but the last of a file are equally large.
    bound: Vec<Option<Bound>>,
    /// The kernels that were launched.
    launched: Vec<usize>,
}

/// A kernel with its buffers, for shares of one size.
struct Bound {
    size: [u64; 3],
    prepared: Prepared,
    output: wgpu::Buffer,
    readback: Readback,
}

/// The form of the reducer that a layout takes.
pub fn form(layout: &Layout) -> Form {
    match layout {
        Layout::Whole => Form::Whole,
        Layout::Axis(axis) => Shape::axis(axis.outer, axis.len, axis.inner).form(),
    }
}

/// What the library calls a share.
pub fn shape(form: Form, share: &Share) -> Shape {
    match form {
        Form::Whole => Shape::Whole,
        _ => Shape::axis(share.outer, share.len, share.inner),
    }
}

impl Slot {
    /// Room for so many inputs of `bytes` each, and for what so many kernels make of them.
    pub fn new(gpu: &Gpu, number: usize, inputs: usize, bytes: u64, kernels: usize) -> Self {
        Slot {
            inputs: (0..inputs).map(|_| dataset::input_buffer(gpu, bytes)).collect(),
            first_stamp: (number * kernels) as u32,
            bound: (0..kernels).map(|_| None).collect(),
            launched: Vec::new(),
        }
    }

    /// Uploads a piece. The GPU may still be busy with the other slot's.
    pub fn load(&self, gpu: &Gpu, pieces: &[&[u8]]) {
        for (buffer, piece) in self.inputs.iter().zip(pieces) {
            dataset::write(gpu, buffer, piece);
        }
    }

    /// Starts some kernels over the piece that was uploaded, and does not wait.
    pub fn launch(
        &mut self,
        gpu: &Gpu,
        kernels: &[Kernel],
        used: &[usize],
        share: &Share,
    ) -> Result<(), Failure> {
        self.launched = used.to_vec();
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (place, &number) in used.iter().enumerate() {
            let size = [share.outer, share.len, share.inner];
            if self.bound[number].as_ref().is_none_or(|bound| bound.size != size) {
                self.bound[number] = Some(self.bind(gpu, &kernels[number], share)?);
            }
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("halofold reduce"),
                timestamp_writes: gpu.timer.stamp(self.first_stamp + place as u32),
            });
            if let Some(bound) = &self.bound[number] {
                bound.prepared.encode_in_pass(&mut pass);
            }
        }
        gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    fn bind(&self, gpu: &Gpu, kernel: &Kernel, share: &Share) -> Result<Bound, Failure> {
        let reducer = &kernel.reducer;
        let shape = shape(reducer.form(), share);
        let len = share.elements();
        let is_pair = kernel.op == Op::Dot;
        let input = |number: usize| Input { buffer: &self.inputs[number], offset: 0, len };
        let first = [input(0)];
        let source = if is_pair { Source::pairs(&first, input(1)) } else { Source::of(&first) };
        let extent = Extent { offset: 0, len };
        let plan = reducer.plan(shape, &[extent], is_pair.then_some(extent)).map_err(Failure::usage)?;
        let output = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("halofold results"),
            size: plan.output,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let workspace = Workspace::new(&gpu.device, &plan);
        let results = Output { buffer: &output, offset: 0 };
        let prepared =
            reducer.prepare(&gpu.device, source, shape, results, &workspace).map_err(Failure::usage)?;
        let readback = Readback::new(&gpu.device, plan.output);
        Ok(Bound { size: [share.outer, share.len, share.inner], prepared, output, readback })
    }

    /// Waits for the kernels that were launched, and brings their results to the host.
    pub fn collect(&self, gpu: &Gpu, kernels: &[Kernel]) -> Result<Vec<Outcome>, Failure> {
        let bound = || self.launched.iter().filter_map(|&k| Some((&kernels[k], self.bound[k].as_ref()?)));
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (_, Bound { prepared, output, readback, .. }) in bound() {
            readback.encode(&mut encoder, output, 0, prepared.plan().output).map_err(Failure::usage)?;
        }
        gpu.queue.submit([encoder.finish()]);
        let mut outcomes = Vec::new();
        for (kernel, Bound { prepared, readback, .. }) in bound() {
            let bytes = readback.wait(prepared.plan().output).map_err(Failure::usage)?;
            outcomes.push(Outcome {
                answers: kernel.op.read(kernel.element, &bytes),
                depth: prepared.plan().depth(),
                gpu_ms: None,
            });
        }
        let stamps = self.first_stamp..self.first_stamp + outcomes.len() as u32;
        for (outcome, ms) in outcomes.iter_mut().zip(gpu.timer.resolve(stamps).map_err(Failure::usage)?) {
            outcome.gpu_ms = ms;
        }
        Ok(outcomes)
    }
}
