//! Exact sums of files: each piece leaves a state on the GPU, and the host adds states up.

use halofold::read::Readback;
use halofold::reduce::exact::{Format, State, StateError};
use halofold::reduce::{Accuracy, Op, Options, Prepared, Reducer};
use halofold::{Element, Slice, wgpu};

use super::ReduceArgs;
use super::ahead;
use super::file::Work;
use crate::dataset;
use crate::failure::Failure;
use crate::gpu::{Gpu, explain};

/// States added up.
#[derive(Default)]
pub struct Total(Option<State>);

impl Total {
    /// Adds one more.
    pub fn add(&mut self, state: State) -> Result<(), StateError> {
        match &mut self.0 {
            Some(total) => total.merge(&state),
            None => {
                self.0 = Some(state);
                Ok(())
            }
        }
    }

    /// The sum; `None` of no states.
    pub fn sum(self) -> Option<State> {
        self.0
    }

    /// The sum, or that of nothing.
    fn or_nothing(self, format: Format) -> State {
        self.0.unwrap_or_else(|| State::new(format))
    }
}

/// The exact sum of a file, by the GPU and, if it was asked, by the CPU.
pub struct Summed {
    pub state: State,
    pub reference: Option<State>,
}

/// Sums a file, or the products that it makes with a second one.
pub fn sum(
    gpu: &Gpu,
    work: &mut Work,
    second: Option<&mut Work>,
    args: &ReduceArgs,
) -> Result<Summed, Failure> {
    let element = work.stored.element();
    let op = if second.is_some() { Op::Dot } else { Op::Sum };
    let format = Format::of(op, element).ok_or_else(|| Failure::usage("no exact form"))?;
    let mut sources = vec![work.open(args.raw)?];
    if let Some(second) = second {
        sources.push(second.open(args.raw)?);
    }
    let piece = (args.piece.min(gpu.device.limits().max_buffer_size) / 8 * 8).max(8);
    let size = work.bytes().unwrap_or(piece).min(piece).next_multiple_of(8).max(8);
    let host = || vec![vec![0; size as usize / 8]; sources.len()];
    let mut buffers = [host(), host()];
    let mut adder = gpu.attempt(|| Adder::new(gpu, op, element, size))?;
    let (mut total, mut reference) = (Total::default(), Total::default());
    let shares = work.layout.shares(size / element.size()).map_err(Failure::usage)?;
    ahead::pieces(&mut sources, &mut buffers, shares, |_, pieces| {
        let state = gpu.attempt(|| adder.state(pieces))?;
        total.add(state).map_err(Failure::usage)?;
        if args.verify {
            reference.add(reference_of(format, element, pieces)).map_err(Failure::usage)?;
        }
        Ok(())
    })?;
    let reference = args.verify.then(|| reference.or_nothing(format));
    Ok(Summed { state: total.or_nothing(format), reference })
}

/// What makes states of pieces on the GPU.
struct Adder<'a> {
    gpu: &'a Gpu,
    reducer: Reducer,
    inputs: Vec<wgpu::Buffer>,
    output: wgpu::Buffer,
    readback: Readback,
    /// The reduction of pieces of so many bytes, which all but the last one have.
    bound: Option<(usize, Prepared)>,
}

impl<'a> Adder<'a> {
    /// For pieces of at most `bytes` bytes.
    fn new(gpu: &'a Gpu, op: Op, element: Element, bytes: u64) -> Result<Self, Failure> {
        let monoid = op.over(element).map_err(Failure::usage)?;
        let mut options = Options::default();
        (options.accuracy, options.to_states) = (Accuracy::Exact, true);
        let reducer = Reducer::with_options(&gpu.device, monoid, options)
            .map_err(|error| Failure::Usage(explain(&error)))?;
        let size = reducer.monoid().acc_size();
        let output = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("halofold exact state"),
            size,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let count = if op == Op::Dot { 2 } else { 1 };
        Ok(Adder {
            gpu,
            inputs: (0..count).map(|_| dataset::input_buffer(gpu, bytes)).collect(),
            output,
            readback: Readback::new(&gpu.device, size),
            reducer,
            bound: None,
        })
    }

    /// The state of one piece, or of the products of two.
    fn state(&mut self, pieces: &[&[u8]]) -> Result<State, Failure> {
        for (buffer, piece) in self.inputs.iter().zip(pieces) {
            dataset::write(self.gpu, buffer, piece);
        }
        let len = pieces[0].len();
        let prepared = match self.bound.take() {
            Some((bytes, prepared)) if bytes == len => prepared,
            _ => self.bind(len as u64)?,
        };
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        prepared.encode(&mut encoder);
        self.bound = Some((len, prepared));
        let size = self.output.size();
        self.readback.encode(&mut encoder, &self.output, 0, size).map_err(Failure::usage)?;
        self.gpu.queue.submit([encoder.finish()]);
        State::from_bytes(&self.readback.wait(size).map_err(Failure::usage)?).map_err(Failure::usage)
    }

    fn bind(&self, bytes: u64) -> Result<Prepared, Failure> {
        let first = self.reducer.of(Slice::new(&self.inputs[0], 0, bytes));
        let second = self.inputs.get(1).map(|buffer| Slice::new(buffer, 0, bytes));
        let reduction = second.map_or(first.clone(), |second| first.and(second));
        reduction.into(&self.output).map_err(Failure::usage)
    }
}

/// What the CPU makes of a piece.
fn reference_of(format: Format, element: Element, pieces: &[&[u8]]) -> State {
    let mut state = State::new(format);
    match pieces {
        [first, second] => {
            let floats = |bytes: &[u8]| -> Vec<f32> { bytemuck::pod_collect_to_vec(bytes) };
            state.add_products(&floats(first), &floats(second));
        }
        _ => state.add(element, pieces[0]),
    }
    state
}
