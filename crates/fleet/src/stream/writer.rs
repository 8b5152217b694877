//! The file that a pass writes, and the checkpoint that says how far it is.

use std::time::{Duration, Instant};

use halofold::stencil::slab::Change;

use super::checkpoint::Checkpoint;
use super::run_files::{Layers, RunFiles};
use super::{Schedule, StreamError};
use crate::stepping::Round;

/// Writes slabs in order, and checkpoints.
pub(super) struct Writer {
    files: RunFiles,
    schedule: Schedule,
    layer_bytes: u64,
    /// The change by the last step in the slabs of this pass so far.
    change: Option<Change>,
    checkpoint: Checkpoint,
    /// The time from one checkpoint to the next.
    every: Duration,
    kept: Instant,
    /// The file of the pass that is being written.
    file: Option<Layers>,
    /// Bytes written.
    pub written: u64,
}

impl Writer {
    /// Begins where a checkpoint ends. It is written first: where that fails, nothing was lost.
    pub fn new(
        (files, schedule, checkpoint): (RunFiles, Schedule, Checkpoint),
        layer_bytes: u64,
        every: Duration,
    ) -> Result<Self, StreamError> {
        checkpoint.write(&files.checkpoint())?;
        let kept = Instant::now();
        Ok(Writer {
            files,
            schedule,
            layer_bytes,
            change: None,
            checkpoint,
            every,
            kept,
            file: None,
            written: 0,
        })
    }

    /// The progress of the run.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Opens the file of the next pass.
    pub fn begin_pass(&mut self) -> Result<(), StreamError> {
        self.change = None;
        self.file = Some(self.files.create(self.checkpoint.passes, self.checkpoint.slabs > 0)?);
        Ok(())
    }

    /// Writes a slab's own layers, and merges its change.
    pub fn write(&mut self, slab: u32, bytes: &[u8], change: &[u8]) -> Result<(), StreamError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let offset = u64::from(self.schedule.own(slab).start) * self.layer_bytes;
        file.write_at(offset, bytes).map_err(StreamError::write(&file.path))?;
        match (Change::parse(change), &mut self.change) {
            (Some(change), Some(all)) => all.merge(&change),
            (Some(change), None) => self.change = Some(change),
            (None, _) => {}
        }
        self.written += bytes.len() as u64;
        self.checkpoint.slabs = slab + 1;
        if self.kept.elapsed() >= self.every { self.keep() } else { Ok(()) }
    }

    /// Notes that the pass is complete. The next one overwrites the grid before this one: so this is on the disk first.
    pub fn end_pass(&mut self, pass: Round) -> Result<(), StreamError> {
        self.sync()?;
        self.file = None;
        self.schedule.rounds.add(pass, self.change.as_ref(), &mut self.checkpoint.outcome);
        self.checkpoint.passes += 1;
        self.checkpoint.slabs = 0;
        self.keep()
    }

    /// Writes the checkpoint, after the data that it describes.
    pub fn keep(&mut self) -> Result<(), StreamError> {
        self.sync()?;
        self.checkpoint.write(&self.files.checkpoint())?;
        self.kept = Instant::now();
        Ok(())
    }

    fn sync(&self) -> Result<(), StreamError> {
        match &self.file {
            Some(file) => file.sync().map_err(StreamError::write(&file.path)),
            None => Ok(()),
        }
    }
}
