//! A run from its beginning, or from its checkpoint, to its result.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use halofold::stencil::{Config, Outcome, Weights};
use halofold::wgpu::{Device, Queue};

use super::checkpoint::{Checkpoint, Identity};
use super::device::{SlabDevice, Slabs};
use super::pass::{self, Buffers, RestOfPass, Sources};
use super::run_files::RunFiles;
use super::writer::Writer;
use super::{Bounds, Cells, Schedule, SlabSizes, StreamError};

/// A run whose files and slabs are chosen.
#[derive(Debug)]
pub struct Run {
    files: RunFiles,
    schedule: Schedule,
    layer_bytes: u64,
    checkpoint: Checkpoint,
}

/// The device that steps the slabs, and the files that they come from.
pub struct StreamOptions<'a> {
    device: &'a Device,
    queue: &'a Queue,
    config: Config,
    weights: Weights,
    input: &'a dyn Cells,
    rhs: Option<&'a dyn Cells>,
    every: Duration,
    stop: &'a AtomicBool,
}

/// The default time between two checkpoints.
const USUAL_PAUSE: Duration = Duration::from_secs(30);

/// A flag that never stops a run.
static NEVER: AtomicBool = AtomicBool::new(false);

impl<'a> StreamOptions<'a> {
    /// A device, the kernel and the whole grid, chosen for that device ([`Config::on`]), the weights, and the grid at the beginning.
    pub fn new(
        (device, queue): (&'a Device, &'a Queue),
        config: Config,
        weights: Weights,
        input: &'a dyn Cells,
    ) -> Self {
        StreamOptions { device, queue, config, weights, input, rhs: None, every: USUAL_PAUSE, stop: &NEVER }
    }

    /// The same with a right-hand side, which every pass reads. The configuration must have one, too.
    pub fn with_rhs(self, rhs: &'a dyn Cells) -> Self {
        StreamOptions { rhs: Some(rhs), ..self }
    }

    /// The same with another time between two checkpoints: 30 seconds by default.
    pub fn with_checkpoints(self, every: Duration) -> Self {
        StreamOptions { every, ..self }
    }

    /// The same with a flag that ends the run soon once it is set. The run can be resumed.
    pub fn with_stop(self, stop: &'a AtomicBool) -> Self {
        StreamOptions { stop, ..self }
    }
}

/// The progress of a run.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress {
    /// The pass, from 0.
    pub pass: u32,
    /// Slabs of it that are computed.
    pub slabs: u32,
}

/// The figures of a run that has ended.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Done {
    /// Passes of the whole run.
    pub passes: u32,
    /// Steps of the whole run, and the result of the last check.
    pub outcome: Outcome,
    /// Bytes read from files, apart from those before the run was resumed.
    pub read: u64,
    /// Bytes of grids written to files, in the same way.
    pub written: u64,
}

impl Run {
    /// Begins a run, or goes on where one was left: then the slabs and passes are those that it began with.
    ///
    /// # Errors
    ///
    /// - Slabs and halos do not fit, or are lower than their halos.
    /// - A new run: there is a checkpoint of one that has not ended.
    /// - A run to resume: there is no checkpoint, or it is of another run.
    pub fn open(
        files: RunFiles,
        identity: Identity,
        bounds: Bounds,
        sizes: SlabSizes,
        resume: bool,
    ) -> Result<Self, StreamError> {
        let path = files.checkpoint();
        let (schedule, mut checkpoint) = match (Checkpoint::read(&path)?, resume) {
            (Some(_), false) => return Err(StreamError::Unfinished { path }),
            (None, true) => return Err(StreamError::NoCheckpoint { path }),
            (None, false) => {
                let schedule = Schedule::new(bounds, sizes)?;
                (schedule, Checkpoint::new(identity, &schedule))
            }
            (Some(checkpoint), true) => {
                checkpoint.check(&path, &identity)?;
                (checkpoint.schedule(&path, bounds, sizes)?, checkpoint)
            }
        };
        let written = u64::from(schedule.layers_before(checkpoint.slabs)) * bounds.layer_bytes;
        // The changes of slabs are not kept, and the layers that they wrote may be gone: then the pass begins again.
        if schedule.pass(checkpoint.passes).is_checked || !files.has_begun(checkpoint.passes, written) {
            checkpoint.slabs = 0;
        }
        Ok(Run { files, schedule, layer_bytes: bounds.layer_bytes, checkpoint })
    }

    /// Its slabs and passes.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The progress with which it begins, or goes on.
    pub fn start(&self) -> Progress {
        Progress { pass: self.checkpoint.passes, slabs: self.checkpoint.slabs }
    }

    /// Does all passes that are left, and calls `on` after each slab. The result has its name after [`Run::finish`].
    ///
    /// # Errors
    ///
    /// A file cannot be read or written, the device fails or has no memory, or the run is stopped. What is done is kept, unless it is
    /// nothing and the error would come again.
    pub fn steps(
        &self,
        options: StreamOptions<'_>,
        mut on: impl FnMut(Progress),
    ) -> Result<Done, StreamError> {
        let StreamOptions { device, queue, config, weights, input, rhs, every, stop } = options;
        let Run { schedule, layer_bytes, .. } = *self;
        let slabs = Slabs { config, schedule };
        // The slabs at the sides of the grid are those that may be of an odd size.
        slabs.get(0).and(slabs.get(schedule.slabs() - 1))?;
        let (mut device, mut buffers) = slabs.in_error_scopes(device, || {
            let slabs = SlabDevice::new(device, queue, slabs, weights)?;
            let buffers = Buffers::new(&slabs)?;
            Ok((slabs, buffers))
        })?;
        let kept = (self.files.clone(), schedule, self.checkpoint.clone());
        let mut writer = Writer::new(kept, layer_bytes, every)?;
        let mut read = 0;
        while let Some(round) = writer.checkpoint().next(&schedule) {
            let pass = writer.checkpoint().passes;
            let before = (pass > 0).then(|| self.files.open(pass - 1, self.bytes())).transpose()?;
            let cells = before.as_ref().map_or(input, |before| before as &dyn Cells);
            let mut sources = Sources { cells, rhs, slabs, read: 0 };
            let rest = RestOfPass { slabs: writer.checkpoint().slabs..schedule.slabs(), round, stop };
            writer.begin_pass()?;
            let on_slab = |slab| on(Progress { pass, slabs: slab + 1 });
            let done = pass::run(&rest, &mut device, &mut buffers, &mut sources, &mut writer, on_slab);
            read += sources.read;
            if !matches!(done, Ok(true)) {
                let kept = writer.keep();
                if let (Err(error), true) = (&done, writer.checkpoint().is_fresh()) {
                    self.files.forget(error);
                }
                done?;
                kept?;
                return Err(StreamError::Stopped {
                    done: schedule.steps_before(pass),
                    steps: schedule.all_steps(),
                });
            }
            writer.end_pass(round)?;
        }
        let passes = writer.checkpoint().passes;
        let outcome = writer.checkpoint().outcome(&schedule);
        Ok(Done { passes, outcome, read, written: writer.written })
    }

    /// Bytes of the grid.
    fn bytes(&self) -> u64 {
        u64::from(self.schedule.layers) * self.layer_bytes
    }

    /// Gives the result its name after [`Run::steps`], and removes the files beside it.
    ///
    /// # Errors
    ///
    /// - Not all steps are done.
    /// - The grid of the last pass is gone.
    /// - A file cannot be renamed or removed.
    pub fn finish(self) -> Result<(), StreamError> {
        let (schedule, path) = (&self.schedule, self.files.checkpoint());
        let Some(mut checkpoint) = Checkpoint::read(&path)? else {
            return Err(StreamError::NoCheckpoint { path });
        };
        if checkpoint.next(schedule).is_some() {
            let (done, steps) = (schedule.steps_before(checkpoint.passes), schedule.all_steps());
            return Err(StreamError::Stopped { done, steps });
        }
        let is_noted = std::mem::replace(&mut checkpoint.renaming, true);
        let last = (checkpoint.passes - 1, self.bytes());
        self.files.finish(last, is_noted, || checkpoint.write(&path))
    }
}
