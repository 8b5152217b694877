//! Exact sums of files: each piece leaves states on the GPU, one for each result, and the host adds states up.

use halofold::Element;
use halofold::reduce::exact::{Format, State, StateError};
use halofold::reduce::{Accuracy, Op, Options, Reducer};

use super::ReduceArgs;
use super::ahead;
use super::check;
use super::file::Work;
use super::layout::{Layout, Share};
use super::slot::{Kernel, Slot};
use super::unpack::Unpack;
use crate::failure::Failure;
use crate::gpu::{Gpu, explain};
use crate::input::Stored;

/// The exact sum behind a result, by the GPU and, if it was asked, by the CPU.
pub struct Sum {
    pub state: State,
    pub reference: Option<State>,
}

impl Sum {
    fn merge(&mut self, other: &Sum) -> Result<(), StateError> {
        self.state.merge(&other.state)?;
        match (&mut self.reference, &other.reference) {
            (Some(reference), Some(other)) => reference.merge(other),
            _ => Ok(()),
        }
    }
}

/// Sums a file, or the products that it makes with a second one. Tells `done` the sum of each result, in the order of
/// memory, and returns the number of elements.
pub fn sum(
    gpu: &Gpu,
    work: &mut Work,
    second: Option<&mut Work>,
    args: &ReduceArgs,
    mut done: impl FnMut(Sum) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let stored = work.stored;
    let element = stored.element();
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
    let mut adder = gpu.attempt(|| Adder::new(gpu, (op, element), sources.len(), size))?;
    let shares = work.layout.shares(size / element.size()).map_err(Failure::usage)?;
    let reference = |share: &Share, pieces: &[&[u8]], result| {
        args.verify.then(|| reference_of(format, element, share, pieces, result))
    };
    let nothing = || Sum { state: State::new(format), reference: args.verify.then(|| State::new(format)) };
    let mut sums = Vec::new();
    let mut elements = 0;
    ahead::pieces(&mut sources, &mut buffers, shares, |share, pieces| {
        elements += share.elements();
        let states = gpu.attempt(|| adder.states(gpu, stored, (&work.layout, &share), pieces))?;
        let parts = states
            .into_iter()
            .zip(0..)
            .map(|(state, result)| Sum { state, reference: reference(&share, pieces, result) });
        if share.before == 0 {
            sums = parts.collect();
        } else {
            sums.iter_mut()
                .zip(parts)
                .try_for_each(|(sum, part)| sum.merge(&part))
                .map_err(Failure::usage)?;
        }
        if share.completes { sums.drain(..).try_for_each(&mut done) } else { Ok(()) }
    })?;
    match &work.layout {
        Layout::Whole => done(sums.pop().unwrap_or_else(nothing))?,
        Layout::Axis(axis) if axis.len == 0 => (0..axis.results()).try_for_each(|_| done(nothing()))?,
        Layout::Axis(_) => {}
    }
    Ok(elements)
}

/// What makes states of pieces on the GPU.
struct Adder {
    kernels: [Kernel; 1],
    slot: Slot,
    /// Floats are never packed.
    unpack: Unpack,
}

impl Adder {
    /// For so many inputs, whose pieces have at most `bytes` bytes.
    fn new(gpu: &Gpu, (op, element): (Op, Element), inputs: usize, bytes: u64) -> Result<Self, Failure> {
        let monoid = op.over(element).map_err(Failure::usage)?;
        let mut options = Options::default();
        (options.accuracy, options.to_states) = (Accuracy::Exact, true);
        let reducer = Reducer::with_options(&gpu.device, monoid, options)
            .map_err(|error| Failure::Usage(explain(&error)))?;
        let kernels = [Kernel { op, element, reducer }];
        Ok(Adder { kernels, slot: Slot::new(gpu, 0, inputs, [bytes, 0], 1), unpack: Unpack::new(gpu, &[]) })
    }

    /// The states of a share, one for each result.
    fn states(
        &mut self,
        gpu: &Gpu,
        stored: Stored,
        share: (&Layout, &Share),
        pieces: &[&[u8]],
    ) -> Result<Vec<State>, Failure> {
        self.slot.load(gpu, stored, pieces);
        self.slot.launch(gpu, &self.kernels, &[0], (&self.unpack, stored), share)?;
        let made = self.slot.collect(gpu)?;
        let size = self.kernels[0].reducer.monoid().acc_size() as usize;
        let states = made.iter().flat_map(|made| made.bytes.chunks_exact(size)).map(State::from_bytes);
        states.collect::<Result<_, _>>().map_err(Failure::usage)
    }
}

/// What the CPU makes of one result of a share.
fn reference_of(format: Format, element: Element, share: &Share, pieces: &[&[u8]], result: u64) -> State {
    let line = |piece: &[u8]| check::line(piece, element.size() as usize, share, result);
    let mut state = State::new(format);
    match pieces {
        [first, second] => {
            let floats = |piece| -> Vec<f32> { bytemuck::pod_collect_to_vec(&line(piece)) };
            state.add_products(&floats(first), &floats(second));
        }
        _ => state.add(element, &line(pieces[0])),
    }
    state
}
