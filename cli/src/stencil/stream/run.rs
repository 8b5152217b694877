//! A run from its beginning, or from where it was left, to its result.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use halofold::stencil::{Config, Weights};
use halofold::wgpu::{Device, Queue};

use super::checkpoint::{Checkpoint, Identity};
use super::device::{SlabDevice, layer_bytes};
use super::pass::{self, Buffers, Job, Sources};
use super::place::Place;
use super::writer::Writer;
use super::{Bounds, Cells, Plan, StreamError, Wishes};

/// A run whose place is taken and whose slabs are chosen.
pub struct Run {
    place: Place,
    plan: Plan,
    checkpoint: Checkpoint,
}

/// What steps the slabs, and where they come from.
pub struct Settings<'a> {
    /// The device.
    pub device: &'a Device,
    /// Its queue.
    pub queue: &'a Queue,
    /// The kernel and the whole grid, chosen for the device.
    pub config: Config,
    /// The weights.
    pub weights: Weights,
    /// The grid at the beginning.
    pub input: &'a mut dyn Cells,
    /// The right-hand side.
    pub rhs: Option<&'a mut dyn Cells>,
    /// How long to work between two checkpoints.
    pub every: Duration,
    /// Set by whoever wants the run to end soon; it can be resumed.
    pub stop: &'a AtomicBool,
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The pass, from 0.
    pub pass: u32,
    /// Slabs of it that are computed.
    pub slabs: u32,
}

/// What a run did, apart from what it had done before it was resumed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moved {
    /// Bytes read from files.
    pub read: u64,
    /// Bytes of grids written to files.
    pub written: u64,
}

impl Run {
    /// Begins a run, or goes on where one was left.
    pub fn open(
        place: Place,
        identity: Identity,
        bounds: Bounds,
        wishes: Wishes,
        resume: bool,
    ) -> Result<Self, StreamError> {
        let path = place.checkpoint();
        let (plan, checkpoint) = match (Checkpoint::read(&path)?, resume) {
            (Some(_), false) => return Err(StreamError::Unfinished { path }),
            (None, true) => return Err(StreamError::NoCheckpoint { path }),
            (None, false) => {
                let plan = Plan::new(bounds, wishes)?;
                (plan, Checkpoint::new(identity, &plan))
            }
            (Some(checkpoint), true) => {
                checkpoint.check(&path, &identity)?;
                (checkpoint.plan(&path, bounds, wishes)?, checkpoint)
            }
        };
        Ok(Run { place, plan, checkpoint })
    }

    /// Its slabs and passes.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Where it begins, or goes on.
    pub fn start(&self) -> Progress {
        Progress { pass: self.checkpoint.passes, slabs: self.checkpoint.slabs }
    }

    /// Does all passes that are left. The result has its name after [`Run::finish`].
    pub fn steps(&self, settings: Settings<'_>, mut on: impl FnMut(Progress)) -> Result<Moved, StreamError> {
        let Settings { device, queue, config, weights, input, mut rhs, every, stop } = settings;
        let (plan, layer_bytes) = (self.plan, layer_bytes(&config));
        let mut device = SlabDevice::new(device, queue, config, weights, plan);
        let mut buffers = Buffers::new(&device);
        let mut writer = Writer::new(self.place.clone(), plan, layer_bytes, self.checkpoint.clone(), every)?;
        let mut moved = Moved::default();
        for pass in self.checkpoint.passes..plan.passes() {
            let mut before = (pass > 0).then(|| self.place.open(pass - 1)).transpose()?;
            let cells = before.as_mut().map_or(&mut *input, |before| before as &mut dyn Cells);
            let rhs = rhs.as_mut().map(|rhs| &mut **rhs as &mut dyn Cells);
            let mut sources = Sources { cells, rhs, plan, layer_bytes, read: 0 };
            let job = Job { plan, steps: plan.steps(pass), first: writer.checkpoint().slabs, stop };
            writer.begin_pass()?;
            let on_slab = |slab| on(Progress { pass, slabs: slab + 1 });
            let done = pass::run(&job, &mut device, &mut buffers, &mut sources, &mut writer, on_slab);
            moved.read += sources.read;
            if !matches!(done, Ok(true)) {
                let kept = writer.keep();
                done?;
                kept?;
                return Err(StreamError::Stopped { done: plan.steps_before(pass), steps: plan.all_steps() });
            }
            writer.end_pass()?;
        }
        Ok(Moved { written: writer.written, ..moved })
    }

    /// Gives the result its name, and removes what was beside it.
    pub fn finish(self) -> Result<(), StreamError> {
        self.place.finish(self.plan.passes() - 1)
    }
}
