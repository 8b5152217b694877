//! Exact sums of files: each piece leaves states on the GPU, one for each result, and the host adds states up.

use halofold::Element;
use halofold::reduce::exact::{Format, State, StateError};
use halofold::reduce::{Accuracy, Op, Options, Reducer};

use super::check;
use super::engine::Engine;
use super::file::Work;
use super::kernels;
use super::lane::{Job, Steps};
use super::layout::{Layout, Share};
use super::slot::{Kernel, Made};
use crate::failure::Failure;
use crate::gpu::{Gpu, explain};
use crate::input::Source;

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

/// What sums files, or the products that one makes with a second one, in pieces of at most so many bytes.
pub fn engine<'a>(
    gpus: &'a [Gpu],
    work: &[Work],
    has_second: bool,
    piece: u64,
) -> Result<Engine<'a>, Failure> {
    let op = operator(has_second);
    Engine::new(gpus, work, (1 + usize::from(has_second), piece), |gpu, most| {
        let mut kernels = Vec::new();
        for work in work {
            let element = work.stored.element();
            if kernels::number(&kernels, op, element).is_none() {
                kernels.push(kernel(gpu, op, element)?);
            }
            let number = kernels::number(&kernels, op, element).unwrap_or_default();
            kernels::prepare(gpu, &kernels[number], work, most(work.stored))?;
        }
        Ok(kernels)
    })
}

fn operator(has_second: bool) -> Op {
    if has_second { Op::Dot } else { Op::Sum }
}

/// What makes states of pieces on a GPU.
fn kernel(gpu: &Gpu, op: Op, element: Element) -> Result<Kernel, Failure> {
    let monoid = op.over(element).map_err(Failure::usage)?;
    let mut options = Options::default();
    (options.accuracy, options.to_states) = (Accuracy::Exact, true);
    let reducer = gpu.attempt(|| {
        Reducer::with_options(&gpu.device, monoid, options).map_err(|error| Failure::Usage(explain(&error)))
    })?;
    Ok(Kernel { op, element, reducer })
}

/// Sums a file, or the products that it makes with a second one, and lets the CPU do so too if asked to `verify`. Tells `done` the sum of each
/// result, in the order of memory, and returns the number of elements.
pub fn sum(
    engine: &mut Engine<'_>,
    work: &Work,
    sources: &mut [Source],
    verify: bool,
    done: impl FnMut(Sum) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let (op, stored) = (operator(sources.len() > 1), work.stored);
    let element = stored.element();
    let format = Format::of(op, element).ok_or_else(|| Failure::usage("no exact form"))?;
    let used = kernels::number(engine.kernels(), op, element).into_iter().collect();
    let steps = Steps { stored, layout: &work.layout, used, is_looked_at: verify };
    let mut sums = Sums { sums: Vec::new(), done };
    let mut elements = 0;
    engine.run(work, sources, &States { steps, format }, |share, parts| {
        elements += share.elements();
        sums.add(share, parts)
    })?;
    let nothing = || Sum { state: State::new(format), reference: verify.then(|| State::new(format)) };
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
    fn add(&mut self, share: Share, parts: Vec<Sum>) -> Result<(), Failure> {
        if share.before == 0 {
            self.sums = parts;
        } else {
            let mut both = self.sums.iter_mut().zip(&parts);
            both.try_for_each(|(sum, part)| sum.merge(part)).map_err(Failure::usage)?;
        }
        if share.completes { self.sums.drain(..).try_for_each(&mut self.done) } else { Ok(()) }
    }
}

/// The states of pieces.
struct States<'a> {
    steps: Steps<'a>,
    format: Format,
}

impl Job for States<'_> {
    /// One for each result.
    type Part = Vec<Sum>;

    fn steps(&self) -> &Steps<'_> {
        &self.steps
    }

    fn part(
        &self,
        kernels: &[Kernel],
        share: &Share,
        pieces: &[&[u8]],
        made: impl FnOnce() -> Result<Vec<Made>, Failure>,
    ) -> Result<Self::Part, Failure> {
        let Kernel { element, reducer, .. } = &kernels[self.steps.used[0]];
        // While the GPU is at work.
        let reference = |result| reference_of(self.format, *element, share, pieces, result);
        let results = if self.steps.is_looked_at { share.results() } else { 0 };
        let mut references = (0..results).map(reference).collect::<Vec<_>>().into_iter();
        let made = made()?;
        let size = reducer.monoid().acc_size() as usize;
        let states = made.iter().flat_map(|made| made.bytes.chunks_exact(size)).map(State::from_bytes);
        let sum = |state| Ok(Sum { state: state?, reference: references.next() });
        states.map(sum).collect::<Result<_, StateError>>().map_err(Failure::usage)
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
