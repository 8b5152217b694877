//! The dispatches of a round.

use wgpu::{BufferUsages, CommandEncoder};

use crate::gpu::error::Error;
use crate::gpu::launch::{self, Dispatch, Recorder};
use crate::gpu::pass::Pass;
use crate::stencil::config::Config;
use crate::stencil::passes;
use crate::stencil::slab::stepper::SlabStepper;

/// The dispatches that read the first buffer, and those that read the second.
type Both = [Vec<Dispatch>; 2];

/// A round of steps, ready to be recorded any number of times.
///
/// `from` is the buffer (0 or 1) that holds the grid when the round begins. Before it begins, halos need the neighbours' edges: of each
/// as many layers as the round makes steps, next to the slab's own. After it, only the slab's own layers are those of the grid.
#[derive(Debug)]
pub struct Round {
    /// All sweeps, the last one where neighbours need its cells.
    edges: Vec<Both>,
    /// The last sweep elsewhere.
    interior: Both,
}

/// Binds the dispatches of a round.
pub(super) fn bind(stepper: &SlabStepper, steps: u32, single_last: bool) -> Result<Round, Error> {
    let device = stepper.bind.kernels.device();
    let machine = stepper.slab.config.machine(device);
    let fitted = |config: &Config, layers| config.fitted(&machine, layers);
    let parts = stepper.slab.plan(device.features(), &device.limits(), steps, single_last, fitted)?;
    let params = passes::parameters(parts.iter().flat_map(|(_, launches)| launches));
    let params = params.buffer(device, "halofold::stencil::params", BufferUsages::UNIFORM);
    let mut first = 0;
    let bind = |(steps, launches): &(u32, Vec<Pass>)| {
        let both = stepper.bind.bind(*steps, launches, &[], (&params, first));
        first += launches.len();
        both
    };
    let mut edges: Vec<_> = parts.iter().map(bind).collect();
    let interior = edges.pop().expect("a round has a last sweep");
    Ok(Round { edges, interior })
}

impl Round {
    /// The buffer (0 or 1) that holds the grid after the round.
    pub fn result(&self, from: usize) -> usize {
        1 - self.last(from)
    }

    /// Records all sweeps but the last, and the last one where neighbours need its cells.
    pub fn encode_edges(&self, encoder: &mut CommandEncoder, from: usize) {
        let mut pass = launch::begin(encoder, "halofold::stencil::slab::edges");
        let mut recorder = Recorder::new(&mut pass);
        for (nth, both) in self.edges.iter().enumerate() {
            recorder.record(&both[(from + nth) % 2]);
        }
    }

    /// Records the last sweep elsewhere.
    pub fn encode_interior(&self, encoder: &mut CommandEncoder, from: usize) {
        let mut pass = launch::begin(encoder, "halofold::stencil::slab::interior");
        Recorder::new(&mut pass).record(&self.interior[self.last(from)]);
    }

    /// Records all of it.
    pub fn encode(&self, encoder: &mut CommandEncoder, from: usize) {
        self.encode_edges(encoder, from);
        self.encode_interior(encoder, from);
    }

    /// The buffer that the last sweep reads.
    fn last(&self, from: usize) -> usize {
        (from + self.edges.len() - 1) % 2
    }
}
