//! One of the two sets of buffers that pieces use alternately on the GPU: for a piece, and for what it is reduced to.

use halofold::read::Readback;
use halofold::reduce::{Answer, Op, Prepared, Reducer, Shape};
use halofold::{Element, Slice, wgpu};

use super::layout::{Layout, Share};
use super::unpack::Unpack;
use crate::dataset;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::input::Stored;

/// A compiled operator.
pub struct Kernel {
    pub op: Op,
    pub element: Element,
    pub reducer: Reducer,
}

/// What a kernel left of a piece.
pub struct Made {
    pub bytes: Vec<u8>,
    /// Combinations on the longest way from an element to a result.
    pub depth: u64,
    /// How long it took, if this adapter tells.
    pub gpu_ms: Option<f64>,
}

/// What the GPU made of a piece.
pub struct Outcome {
    /// One for each result.
    pub answers: Vec<Answer>,
    /// Where in the whole a search found its element, if it is not counted in the order of the pieces.
    pub place: Option<u64>,
    /// As in [`Made`].
    pub depth: u64,
    pub gpu_ms: Option<f64>,
}

impl Kernel {
    /// The outcome that it left.
    pub fn outcome(&self, Made { bytes, depth, gpu_ms }: Made) -> Outcome {
        Outcome { answers: self.op.read(self.element, &bytes), place: None, depth, gpu_ms }
    }
}

/// Buffers for one piece.
pub struct Slot {
    /// What reductions read.
    inputs: Vec<wgpu::Buffer>,
    /// What becomes that by unpacking; none where no file is packed.
    packed: Vec<wgpu::Buffer>,
    /// Which of the timer's places are this slot's: from here on, one for unpacking and one for each kernel.
    first_stamp: u32,
    /// For each kernel, what the last piece was bound to: all pieces but the last of a file are equally large.
    bound: Vec<Option<Bound>>,
    /// The kernels that were launched.
    launched: Vec<usize>,
    /// Whether they were launched over what had to be unpacked.
    was_packed: bool,
}

/// A kernel with its buffers, for shares of one size.
struct Bound {
    /// The shape of a share, and its elements.
    share: (Shape, u64),
    prepared: Prepared,
    output: wgpu::Buffer,
    readback: Readback,
}

/// What the library calls a share.
pub fn shape(layout: &Layout, share: &Share) -> Shape {
    match layout {
        Layout::Whole => Shape::Whole,
        Layout::Axis(_) => Shape::axis(share.outer, share.len, share.inner),
    }
}

impl Slot {
    /// Room for so many inputs of `bytes` each, of which so many are `packed`, and for what so many kernels make of them.
    pub fn new(gpu: &Gpu, number: usize, inputs: usize, [bytes, packed]: [u64; 2], kernels: usize) -> Self {
        let buffers = |bytes| (0..inputs).map(|_| dataset::input_buffer(gpu, bytes)).collect();
        Slot {
            inputs: buffers(bytes),
            packed: if packed > 0 { buffers(packed) } else { Vec::new() },
            first_stamp: (number * (kernels + 1)) as u32,
            bound: (0..kernels).map(|_| None).collect(),
            launched: Vec::new(),
            was_packed: false,
        }
    }

    /// Uploads a piece. The GPU may still be busy with the other slot's.
    pub fn load(&self, gpu: &Gpu, stored: Stored, pieces: &[&[u8]]) {
        let buffers = if stored.is_packed() { &self.packed } else { &self.inputs };
        for (buffer, piece) in buffers.iter().zip(pieces) {
            dataset::write(gpu, buffer, piece);
        }
    }

    /// Starts some kernels over the piece that was uploaded, and does not wait.
    pub fn launch(
        &mut self,
        gpu: &Gpu,
        kernels: &[Kernel],
        used: &[usize],
        (unpack, stored): (&Unpack, Stored),
        (layout, share): (&Layout, &Share),
    ) -> Result<(), Failure> {
        self.launched = used.to_vec();
        self.was_packed = stored.is_packed();
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        if self.was_packed {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("halofold unpack"),
                timestamp_writes: gpu.timer.stamp(self.first_stamp),
            });
            unpack.encode(gpu, &mut pass, stored, self.packed.iter().zip(&self.inputs), share.elements());
        }
        for (place, &number) in used.iter().enumerate() {
            let share = (shape(layout, share), share.elements());
            if self.bound[number].as_ref().is_none_or(|bound| bound.share != share) {
                self.bound[number] = Some(self.bind(gpu, &kernels[number], share)?);
            }
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("halofold reduce"),
                timestamp_writes: gpu.timer.stamp(self.first_stamp + 1 + place as u32),
            });
            if let Some(bound) = &self.bound[number] {
                bound.prepared.encode_in_pass(&mut pass);
            }
        }
        gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    fn bind(&self, gpu: &Gpu, kernel: &Kernel, share: (Shape, u64)) -> Result<Bound, Failure> {
        let (shape, len) = share;
        let input = |number: usize| Slice::new(&self.inputs[number], 0, len * kernel.element.size());
        let reduction = kernel.reducer.of(input(0)).shape(shape);
        let reduction = if kernel.op == Op::Dot { reduction.and(input(1)) } else { reduction };
        let size = reduction.plan().map_err(Failure::usage)?.output();
        let output = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("halofold results"),
            size,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let prepared = reduction.into(&output).map_err(Failure::usage)?;
        Ok(Bound { share, prepared, output, readback: Readback::new(&gpu.device, size) })
    }

    /// Waits for the kernels that were launched, and brings what they left to the host.
    pub fn collect(&self, gpu: &Gpu) -> Result<Vec<Made>, Failure> {
        let bound = || self.launched.iter().filter_map(|&number| self.bound[number].as_ref());
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for Bound { prepared, output, readback, .. } in bound() {
            readback.encode(&mut encoder, output, 0, prepared.plan().output()).map_err(Failure::usage)?;
        }
        gpu.queue.submit([encoder.finish()]);
        let mut all = Vec::new();
        for Bound { prepared, readback, .. } in bound() {
            let bytes = readback.wait(prepared.plan().output()).map_err(Failure::usage)?.to_vec();
            all.push(Made { bytes, depth: prepared.plan().depth(), gpu_ms: None });
        }
        let first = self.first_stamp + u32::from(!self.was_packed);
        let stamps = first..self.first_stamp + 1 + all.len() as u32;
        let mut times = gpu.timer.resolve(stamps).map_err(Failure::usage)?;
        // Each operator alone would have had to unpack the piece.
        let unpacking = if self.was_packed { times.remove(0) } else { Some(0.0) };
        for (made, ms) in all.iter_mut().zip(times) {
            made.gpu_ms = ms.zip(unpacking).map(|(ms, unpacking)| ms + unpacking);
        }
        Ok(all)
    }
}
