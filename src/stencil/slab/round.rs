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
    blocks: Vec<Both>,
    edges: Both,
    interior: Both,
}

/// Binds the launches of a round.
pub(super) fn bind(stepper: &SlabStepper, steps: u32, single_last: bool) -> Result<Round, Error> {
    let device = stepper.bind.kernels.device();
    let machine = stepper.slab.config.machine(device);
    let fitted = |config: &Config, layers| config.fitted(&machine, layers);
    let plan = stepper.slab.plan(device.features(), &device.limits(), steps, single_last, fitted)?;
    let blocks = plan.blocks.iter().flat_map(|(_, launches)| launches);
    let params = passes::parameters(blocks.chain(&plan.edges).chain(&plan.interior));
    let params = params.buffer(device, "halofold::stencil::params", BufferUsages::UNIFORM);
    let mut first = 0;
    let mut bind = |steps: u32, launches: &[Pass]| {
        let both = stepper.bind.bind(steps, launches, &[], (&params, first));
        first += launches.len();
        both
    };
    let blocks = plan.blocks.iter().map(|(steps, launches)| bind(*steps, launches)).collect();
    let [edges, interior] = [&plan.edges, &plan.interior].map(|launches| bind(plan.last, launches));
    Ok(Round { blocks, edges, interior })
}

impl Round {
    /// The buffer (0 or 1) that holds the grid after the round.
    pub fn result(&self, from: usize) -> usize {
        1 - self.last(from)
    }

    /// Records all passes but the last, and the last one where neighbours need its cells.
    pub fn encode_edges(&self, encoder: &mut CommandEncoder, from: usize) {
        let mut pass = launch::begin(encoder, "halofold::stencil::slab::edges");
        let mut recorder = Recorder::new(&mut pass);
        for (nth, both) in self.blocks.iter().enumerate() {
            recorder.record(&both[(from + nth) % 2]);
        }
        recorder.record(&self.edges[self.last(from)]);
    }

    /// Records the last pass elsewhere.
    pub fn encode_interior(&self, encoder: &mut CommandEncoder, from: usize) {
        let mut pass = launch::begin(encoder, "halofold::stencil::slab::interior");
        Recorder::new(&mut pass).record(&self.interior[self.last(from)]);
    }

    /// Records all of it.
    pub fn encode(&self, encoder: &mut CommandEncoder, from: usize) {
        self.encode_edges(encoder, from);
        self.encode_interior(encoder, from);
    }

    /// The buffer that the last pass reads.
    fn last(&self, from: usize) -> usize {
        (from + self.blocks.len()) % 2
    }
}
