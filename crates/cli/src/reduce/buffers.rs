//! A set of buffers for one piece: staging on the host's side, input on the GPU, and the states. A GPU uses several sets in turn.

use halofold::read::Readback;
use halofold::reduce::{Arity, Reducer, Shape};
use halofold::{Prepared, Slice, wgpu};
use halofold_fleet::Staging;

use super::file::Work;
use super::layout::{Layout, Share};
use super::own;
use super::parts::Part;
use super::read_threads::{self, Chunk};
use super::steps::Steps;
use super::unpack::Unpack;
use crate::failure::Failure;
use crate::gpu::Gpu;

/// A compiled operation that leaves a state of each piece.
pub struct Kernel {
    pub part: Part,
    pub operation: Operation,
}

/// A reduction to states, or another operation, whose output is its state.
pub enum Operation {
    Reduction(Box<Reducer>),
    Other(Bind),
}

/// Binds an operation to its input.
pub type Bind = Box<dyn Fn(&Gpu, Slice<'_>) -> Result<(Record, wgpu::Buffer), Failure> + Send>;

impl Kernel {
    /// The reduction, if it is one.
    pub fn reducer(&self) -> Option<&Reducer> {
        match &self.operation {
            Operation::Reduction(reducer) => Some(reducer),
            Operation::Other(_) => None,
        }
    }

    /// True if its operator counts elements by its own text, from the first one of a result.
    pub fn counts_from_start(&self) -> bool {
        self.part.op.is_none() && self.reducer().is_some_and(|reducer| reducer.monoid().reads_index())
    }

    /// The index from which it counts the elements of a share.
    fn first(&self, layout: &Layout, share: &Share) -> Result<u32, Failure> {
        if let Some(reducer) = self.reducer().filter(|_| self.part.op.is_none()) {
            own::check_count(reducer.monoid(), share.before + share.len)?;
        }
        let is_counted = self.counts_from_start() && *layout == Layout::Whole;
        Ok(if is_counted { share.before as u32 } else { 0 })
    }
}

/// The result of a kernel over a piece.
pub struct Made {
    /// One state for each result.
    pub states: Vec<u8>,
    /// Combinations on the longest way from an element to a result.
    pub depth: u64,
    /// The time it took, if this adapter tells.
    pub gpu_ms: Option<f64>,
}

/// The largest size of a piece.
#[derive(Clone, Copy)]
pub struct Room {
    /// Sets of it.
    pub sets: usize,
    /// Of so many inputs.
    pub inputs: usize,
    /// Bytes of each as reductions read it, and before that where it is packed: 0 where no file is.
    pub unpacked: u64,
    pub packed: u64,
    /// The larger of both, as it comes from a file.
    pub staged: u64,
}

/// Buffers for one piece.
pub struct PieceBuffers {
    /// Buffers that the host fills.
    staging: Vec<Staging>,
    /// The same, where the host looks at it; none until that is wanted.
    kept: Vec<Vec<u64>>,
    /// Buffers that reductions read.
    inputs: Vec<wgpu::Buffer>,
    /// Buffers of packed elements; none where no file is packed.
    packed: Vec<wgpu::Buffer>,
    /// The first of the timer's places that are this set's: one for unpacking and one for each kernel.
    first_stamp: u32,
    /// For each kernel, the binding of the last piece, which is used again: all pieces but the last of a file are equally large.
    bound: Vec<Option<Bound>>,
    /// The kernels that were launched.
    launched: Vec<usize>,
    /// True if they were launched over elements that were unpacked.
    was_packed: bool,
}

/// A kernel with its buffers, for shares of one size.
struct Bound {
    /// The shape of a share, its elements, and the index of the first one.
    share: (Shape, u64, u32),
    record: Record,
    /// Bytes of the states.
    size: u64,
    depth: u64,
    output: wgpu::Buffer,
    readback: Readback,
}

/// Records a prepared operation over a share.
pub type Record = Box<dyn Fn(&mut wgpu::ComputePass<'_>, &Share) + Send>;

/// A prepared operation and its output.
pub fn recorded<P: Send + 'static>(prepared: Prepared<P>, output: wgpu::Buffer) -> (Record, wgpu::Buffer) {
    (Box::new(move |pass, _| prepared.encode_in_pass(pass)), output)
}

/// A buffer for some bytes of elements.
pub fn input_buffer(gpu: &Gpu, bytes: u64) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold input"),
        size: bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT).max(4),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// A buffer for some bytes of states or results.
pub fn output_buffer(gpu: &Gpu, size: u64) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold results"),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })
}

/// The library's shape of a share.
pub fn shape(layout: &Layout, share: &Share) -> Shape {
    match layout {
        Layout::Whole => Shape::Whole,
        Layout::Axis(_) => Shape::axis(share.outer, share.len, share.inner),
    }
}

impl PieceBuffers {
    /// Buffers for a piece, and for the states of this many kernels.
    pub fn new(gpu: &Gpu, number: usize, room: Room, kernels: usize) -> Result<Self, Failure> {
        let buffers = |bytes| (0..room.inputs).map(|_| input_buffer(gpu, bytes)).collect();
        let staging = || {
            let mode = wgpu::MapMode::Write;
            let staging = Staging::new(&gpu.device, "halofold input on its way", room.staged, mode);
            staging.ask();
            staging.wait(&gpu.device).map(|()| staging)
        };
        let staging = (0..room.inputs).map(|_| staging()).collect::<Result<_, _>>();
        Ok(PieceBuffers {
            staging: staging.map_err(Failure::usage)?,
            kept: Vec::new(),
            inputs: buffers(room.unpacked),
            packed: if room.packed > 0 { buffers(room.packed) } else { Vec::new() },
            first_stamp: (number * (kernels + 1)) as u32,
            bound: (0..kernels).map(|_| None).collect(),
            launched: Vec::new(),
            was_packed: false,
        })
    }

    /// Has `read` fill it with a share of elements of this many bytes, on the host as well if it will look at them.
    pub fn fill<T>(
        &mut self,
        (share, size): (&Share, u64),
        is_looked_at: bool,
        read: impl FnOnce(Vec<Chunk<'_>>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let PieceBuffers { staging, kept, .. } = self;
        let words = |staging: &Staging| staging.buffer().size() as usize / size_of::<u64>();
        if is_looked_at && kept.is_empty() {
            *kept = staging.iter().map(|staging| vec![0; words(staging)]).collect();
        }
        let kept = if is_looked_at { &mut kept[..] } else { &mut [] };
        read(read_threads::cut(staging, kept, (share.elements(), size)))
    }

    /// A share that fills it, as it lies in each file, where the host looks at it.
    pub fn kept(&self, share: &Share, steps: &Steps<'_>) -> Vec<&[u8]> {
        let bytes = (share.elements() * steps.work.stored.size()) as usize;
        let kept = self.kept.iter().filter(|_| steps.is_looked_at);
        kept.map(|words| &bytemuck::cast_slice(words)[..bytes]).collect()
    }

    /// Starts the kernels over the share that fills it, and does not wait.
    pub fn launch(
        &mut self,
        gpu: &Gpu,
        kernels: &[Kernel],
        unpack: &Unpack,
        steps: &Steps<'_>,
        share: &Share,
    ) -> Result<(), Failure> {
        let Work { stored, layout, .. } = steps.work;
        self.launched.clone_from(&steps.used);
        self.was_packed = steps.work.is_unpacked();
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let bytes = (share.elements() * stored.size()).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        let buffers = if self.was_packed { &self.packed } else { &self.inputs };
        for (staging, buffer) in self.staging.iter().zip(buffers) {
            staging.unmap();
            encoder.copy_buffer_to_buffer(staging.buffer(), 0, buffer, 0, bytes);
        }
        if self.was_packed {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("halofold unpack"),
                timestamp_writes: gpu.timer.stamp(self.first_stamp),
            });
            unpack.encode(gpu, &mut pass, steps.work, self.packed.iter().zip(&self.inputs), share.elements());
        }
        for (place, &number) in steps.used.iter().enumerate() {
            let first = kernels[number].first(layout, share)?;
            let of = (shape(layout, share), share.elements(), first);
            if self.bound[number].as_ref().is_none_or(|bound| bound.share != of) {
                self.bound[number] = Some(self.bind(gpu, &kernels[number], of)?);
            }
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("halofold reduce"),
                timestamp_writes: gpu.timer.stamp(self.first_stamp + 1 + place as u32),
            });
            if let Some(bound) = &self.bound[number] {
                (bound.record)(&mut pass, share);
            }
        }
        gpu.queue.submit([encoder.finish()]);
        self.staging.iter().for_each(Staging::ask);
        Ok(())
    }

    fn bind(&self, gpu: &Gpu, kernel: &Kernel, share: (Shape, u64, u32)) -> Result<Bound, Failure> {
        let (shape, len, first) = share;
        let input = |number: usize| Slice::new(&self.inputs[number], 0, len * kernel.part.element.size());
        let (record, output, depth): (Record, _, _) = match &kernel.operation {
            Operation::Other(bind) => {
                let (record, output) = bind(gpu, input(0))?;
                (record, output, 0)
            }
            Operation::Reduction(reducer) => {
                let reduction = reducer.of(input(0)).shape(shape).counting_from(first);
                let reduction = match reducer.monoid().arity() {
                    Arity::Two => reduction.with(input(usize::from(!kernel.part.is_squared))),
                    _ => reduction,
                };
                let plan = reduction.plan().map_err(Failure::usage)?;
                let output = output_buffer(gpu, plan.output());
                let depth = plan.depth();
                let (record, output) =
                    recorded(reduction.prepare(plan, &output).map_err(Failure::usage)?, output);
                (record, output, depth)
            }
        };
        let size = output.size();
        Ok(Bound { share, record, size, depth, output, readback: Readback::new(&gpu.device, size) })
    }

    /// Waits for the kernels that were launched, and reads their states to the host. Then the set can be filled again.
    pub fn collect(&self, gpu: &Gpu) -> Result<Vec<Made>, Failure> {
        let bound = || self.launched.iter().filter_map(|&number| self.bound[number].as_ref());
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for Bound { size, output, readback, .. } in bound() {
            readback.encode(&mut encoder, output, 0, *size).map_err(Failure::usage)?;
        }
        gpu.queue.submit([encoder.finish()]);
        let mut all = Vec::new();
        for Bound { size, depth, readback, .. } in bound() {
            let states = readback.wait(*size).map_err(Failure::usage)?;
            all.push(Made { states, depth: *depth, gpu_ms: None });
        }
        let first = self.first_stamp + u32::from(!self.was_packed);
        let stamps = first..self.first_stamp + 1 + all.len() as u32;
        let mut times = gpu.timer.resolve(stamps).map_err(Failure::usage)?;
        // Each operator alone would have had to unpack the piece.
        let unpacking = if self.was_packed { times.remove(0) } else { Some(0.0) };
        for (made, ms) in all.iter_mut().zip(times) {
            made.gpu_ms = ms.zip(unpacking).map(|(ms, unpacking)| ms + unpacking);
        }
        self.staging.iter().try_for_each(|staging| staging.wait(&gpu.device)).map_err(Failure::usage)?;
        Ok(all)
    }
}
