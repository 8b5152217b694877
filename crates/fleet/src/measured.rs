//! Measurements of a GPU with its slab, before a run.

use halofold::read;
use halofold::stencil::Jacobi;
use halofold::stencil::slab::{Side, Slab};

use crate::depth::{self, Costs};
use crate::error::WorkerError;
use crate::worker::{Member, Worker};

/// Number of timed rounds, after two that are not timed. Their number is even, so that time-blocked kernels make whole passes: see
/// [`halofold::stencil::Stepper::encode_in_pass`].
const TIMED: u32 = 8;
/// Number of timed copies of edges: enough to hide the cost of a submission.
const COPIED: u32 = 16;

/// Measured times of a GPU with its slab.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measured {
    /// Layers of its slab.
    pub layers: u32,
    /// Layers that a pass makes in a second.
    pub layers_per_second: f64,
    /// The sides of its slab that have a neighbour.
    pub faces: u32,
    /// The steps of a pass, and the layers that they reach.
    pub(crate) unit: (u32, u32),
    costs: Costs,
    /// Seconds of the copies of edges over the bus, for each pass of a round.
    bus: f64,
}

impl Measured {
    /// The steps of the rounds that make a step cheapest on a slab of so many layers, and the seconds that a step of them is predicted to take.
    pub fn rounds(&self, layers: u32) -> (u32, f64) {
        self.rounds_among(1, layers, self.pass_seconds(layers))
    }

    /// Seconds of a pass over so many layers.
    pub(crate) fn pass_seconds(&self, layers: u32) -> f64 {
        f64::from(layers) / self.layers_per_second
    }

    /// The same of one of `count` GPUs of a process, where a pass takes so many seconds. One that was measured alone had both of its faces copied by all threads.
    pub(crate) fn rounds_among(&self, count: usize, layers: u32, pass: f64) -> (u32, f64) {
        let (steps, reached) = self.unit;
        let copies = self.costs.copies * (count.saturating_sub(1) as f64 / 2.0).max(1.0);
        let costs = Costs { pass, copies, ..self.costs };
        let (passes, seconds) = depth::passes(costs, reached, layers, self.faces);
        // The edges of a step go over the bus once, however many steps a round has.
        (steps * passes, (seconds + self.bus) / f64::from(steps))
    }
}

/// Measures a GPU with its slab, whose halo is of one pass.
///
/// # Errors
///
/// The device lacks a limit or a feature, or is lost.
pub fn measure_slab(member: &Member, jacobi: &Jacobi, slab: &Slab) -> Result<Measured, WorkerError> {
    Warm::new(member, jacobi, slab)?.measure()
}

/// A GPU with its slab, at the clock that it has at work: one that has idled is several times slower at first.
pub(crate) struct Warm<'a> {
    member: &'a Member,
    jacobi: &'a Jacobi,
    slab: &'a Slab,
    worker: Worker,
}

impl<'a> Warm<'a> {
    pub(crate) fn new(member: &'a Member, jacobi: &'a Jacobi, slab: &'a Slab) -> Result<Self, WorkerError> {
        let worker = Worker::new(member, jacobi, slab, &[], &[])?;
        worker.warm(jacobi, TIMED * slab.depth())?;
        Ok(Warm { member, jacobi, slab, worker })
    }

    pub(crate) fn measure(self) -> Result<Measured, WorkerError> {
        let Warm { member, jacobi, slab, mut worker } = self;
        let steps = slab.depth();
        worker.rounds_seconds(steps, 2)?;
        let [round, copies, host] = worker.rounds_seconds(steps, TIMED)?;
        worker.passes_seconds(jacobi, steps)?;
        let pass = worker.passes_seconds(jacobi, TIMED * steps)? / f64::from(TIMED);
        let bus = worker.edges_seconds(COPIED)?;
        // The host's time beyond a pass is counted by the number of passes, not here.
        let shown = (copies + host - pass).max(0.0);
        drop(worker);
        // Its buffers go when the device is polled: there may be no room for two grids.
        read::poll(&member.device)?;
        let exchange = (round - pass - bus - shown).max(0.0);
        let costs = Costs { pass, exchange, copies, host };
        let layers = slab.own().len() as u32;
        log::debug!("halofold fleet: {costs:?} for a slab of {layers} layers");
        let faces = Side::BOTH.into_iter().filter(|side| slab.edge(*side).is_some()).count() as u32;
        let (unit, layers_per_second) = ((steps, slab.face_layers()), f64::from(layers) / pass);
        Ok(Measured { layers, layers_per_second, faces, unit, costs, bus })
    }
}
