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
/// memory, and returns the number of elements. Several GPUs take pieces in turn.
pub fn sum(
    gpus: &[Gpu],
    work: &mut Work,
    second: Option<&mut Work>,
    args: &ReduceArgs,
    done: impl FnMut(Sum) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let stored = work.stored;
    let element = stored.element();
    let op = if second.is_some() { Op::Dot } else { Op::Sum };
    let format = Format::of(op, element).ok_or_else(|| Failure::usage("no exact form"))?;
    let mut sources = vec![work.open(args.raw)?];
    if let Some(second) = second {
        sources.push(second.open(args.raw)?);
    }
    let largest = gpus.iter().map(|gpu| gpu.device.limits().max_buffer_size).min().unwrap_or(0);
    let piece = (args.piece.min(largest) / 8 * 8).max(8);
    let size = work.bytes().unwrap_or(piece).min(piece).next_multiple_of(8).max(8);
    let host = || vec![vec![0; size as usize / 8]; sources.len()];
    let mut buffers = [host(), host()];
    let adder = |gpu| Adder::new(gpu, (op, element), sources.len(), size);
    let mut adders: Vec<_> = gpus.iter().map(adder).collect::<Result<_, _>>()?;
    let shares = work.layout.shares(size / element.size()).map_err(Failure::usage)?;
    let mut sums = Sums { sums: Vec::new(), done };
    let (mut elements, mut next) = (0, 0);
    ahead::pieces(&mut sources, &mut buffers, shares, |share, pieces| {
        elements += share.elements();
        let adder = &mut adders[next];
        next = (next + 1) % gpus.len();
        adder.load(stored, pieces)?;
        adder.take()?.map_or(Ok(()), |taken| sums.add(taken))?;
        let reference = |result| reference_of(format, element, &share, pieces, result);
        let references = args.verify.then(|| (0..share.results()).map(reference).collect());
        adder.launch((&work.layout, share), stored, references)
    })?;
    // What is still under way, the oldest piece first.
    for at in (next..gpus.len()).chain(0..next) {
        adders[at].take()?.map_or(Ok(()), |taken| sums.add(taken))?;
    }
    let nothing = || Sum { state: State::new(format), reference: args.verify.then(|| State::new(format)) };
    let Sums { mut sums, mut done } = sums;
    match &work.layout {
        Layout::Whole => done(sums.pop().unwrap_or_else(nothing))?,
        Layout::Axis(axis) if axis.len == 0 => (0..axis.results()).try_for_each(|_| done(nothing()))?,
        Layout::Axis(_) => {}
    }
    Ok(elements)
}

/// The sums of some results, to which shares are added in the order of the file.
struct Sums<D> {
    sums: Vec<Sum>,
    done: D,
}

impl<D: FnMut(Sum) -> Result<(), Failure>> Sums<D> {
    fn add(&mut self, (share, parts): Taken) -> Result<(), Failure> {
        if share.before == 0 {
            self.sums = parts;
        } else {
            let mut both = self.sums.iter_mut().zip(&parts);
            both.try_for_each(|(sum, part)| sum.merge(part)).map_err(Failure::usage)?;
        }
        if share.completes { self.sums.drain(..).try_for_each(&mut self.done) } else { Ok(()) }
    }
}

/// A share and its sums, one for each result.
type Taken = (Share, Vec<Sum>);

/// What makes states of pieces on a GPU.
struct Adder<'a> {
    gpu: &'a Gpu,
    kernels: [Kernel; 1],
    /// While one piece is added, the next one goes up.
    slots: [Slot; 2],
    turn: usize,
    /// Floats are never packed.
    unpack: Unpack,
    flight: Option<Flight>,
}

/// A share that the GPU is adding.
struct Flight {
    slot: usize,
    share: Share,
    /// What the CPU makes of each result, if it was asked.
    references: Option<Vec<State>>,
}

impl<'a> Adder<'a> {
    /// For so many inputs, whose pieces have at most `bytes` bytes.
    fn new(gpu: &'a Gpu, (op, element): (Op, Element), inputs: usize, bytes: u64) -> Result<Self, Failure> {
        let monoid = op.over(element).map_err(Failure::usage)?;
        let mut options = Options::default();
        (options.accuracy, options.to_states) = (Accuracy::Exact, true);
        gpu.attempt(|| {
            let reducer = Reducer::with_options(&gpu.device, monoid, options)
                .map_err(|error| Failure::Usage(explain(&error)))?;
            let kernels = [Kernel { op, element, reducer }];
            let slots = [0, 1].map(|number| Slot::new(gpu, number, inputs, [bytes, 0], 1));
            Ok(Adder { gpu, kernels, slots, turn: 0, unpack: Unpack::new(gpu, &[]), flight: None })
        })
    }

    /// Uploads a piece, while the one before may still be added.
    fn load(&mut self, stored: Stored, pieces: &[&[u8]]) -> Result<(), Failure> {
        let Adder { gpu, slots, turn, .. } = self;
        gpu.attempt(|| {
            slots[*turn].load(gpu, stored, pieces);
            Ok(())
        })
    }

    /// Starts adding the share that was uploaded.
    fn launch(
        &mut self,
        (layout, share): (&Layout, Share),
        stored: Stored,
        references: Option<Vec<State>>,
    ) -> Result<(), Failure> {
        let Adder { gpu, kernels, slots, turn, unpack, .. } = self;
        gpu.attempt(|| slots[*turn].launch(gpu, kernels, &[0], (unpack, stored), (layout, &share)))?;
        self.flight = Some(Flight { slot: self.turn, share, references });
        self.turn = 1 - self.turn;
        Ok(())
    }

    /// Waits for the share that is being added, if there is one.
    fn take(&mut self) -> Result<Option<Taken>, Failure> {
        let Some(Flight { slot, share, references }) = self.flight.take() else { return Ok(None) };
        let made = self.gpu.attempt(|| self.slots[slot].collect(self.gpu))?;
        let size = self.kernels[0].reducer.monoid().acc_size() as usize;
        let states = made.iter().flat_map(|made| made.bytes.chunks_exact(size)).map(State::from_bytes);
        let mut references = references.into_iter().flatten();
        let sum = |state| Ok(Sum { state: state?, reference: references.next() });
        let sums = states.map(sum).collect::<Result<_, StateError>>().map_err(Failure::usage)?;
        Ok(Some((share, sums)))
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
