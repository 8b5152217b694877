//! A slab on the GPU: two buffers of its layers, and the round of steps between them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::mem;
use std::ops::Range;

use halofold::read;
use halofold::reduce::Prepared;
use halofold::stencil::slab::{self, Side, Slab};
use halofold::stencil::{Config, Grids, Jacobi, Weights};
use halofold::wgpu::{self, Buffer, BufferUsages, CommandEncoder, Device, MapMode, Queue, SubmissionIndex};

use super::bounds::{CHECK_BYTES, buffers};
use super::{Schedule, StreamError};
use crate::depth::SUBMISSION;
use crate::error::WorkerError;
use crate::error_scopes::in_error_scopes;
use crate::staging::Staging;
use crate::stepping::Round;

/// The slabs of a grid.
#[derive(Clone, Copy)]
pub(super) struct Slabs {
    /// Of the whole grid.
    pub config: Config,
    pub schedule: Schedule,
}

impl Slabs {
    pub fn get(&self, slab: u32) -> Result<Slab, StreamError> {
        Ok(Slab::new(self.config, self.schedule.own(slab), self.schedule.halo_steps())?)
    }

    /// The bytes of a grid in a file that a slab holds, in order.
    pub fn held(&self, slab: u32) -> Result<Vec<Range<u64>>, StreamError> {
        let slab = self.get(slab)?;
        let at = |layer: u32| u64::from(layer) * slab.layer_bytes();
        Ok(slab.held_parts().into_iter().map(|layers| at(layers.start)..at(layers.end)).collect())
    }

    /// Bytes of a buffer that takes every slab in turn.
    fn size(&self) -> Result<u64, StreamError> {
        Ok(words(0..self.schedule.most_held() * self.get(0)?.layer_bytes()).end)
    }

    /// Runs work on the device, and returns wgpu's errors, among them that there is no memory for all buffers.
    pub fn in_error_scopes<T>(
        &self,
        device: &Device,
        work: impl FnOnce() -> Result<T, StreamError>,
    ) -> Result<T, StreamError> {
        match in_error_scopes(device, || Ok(work())) {
            Ok(done) => done,
            Err(WorkerError::Memory) => {
                Err(StreamError::Memory { bytes: self.size()? * buffers(self.config.rhs) })
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The properties of a slab that its recording depends on: the number of its layers and the sides with neighbours, but not its
/// position in the grid.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Form {
    layers: u32,
    neighbours: [bool; 2],
    round: Round,
}

/// A form, ready to be recorded.
struct Recording {
    round: slab::Round,
    check: Option<([Prepared; 2], Buffer)>,
}

/// The buffers that every slab in turn takes on the GPU.
pub(super) struct SlabDevice {
    device: Device,
    queue: Queue,
    slabs: Slabs,
    jacobi: Jacobi,
    grids: [Buffer; 2],
    rhs: Option<Buffer>,
    recordings: HashMap<Form, Recording>,
}

/// The buffers that the host fills before a slab is stepped: its layers, and those of the right-hand side.
pub(super) struct Upload {
    pub cells: Staging,
    pub rhs: Option<Staging>,
}

/// The byte ranges of a downloaded buffer.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// The slab's own layers.
    pub own: Range<usize>,
    /// The change by its last step.
    pub change: Range<usize>,
}

/// A slab that was submitted.
pub(super) struct Flight {
    pub slab: u32,
    pub upload: Upload,
    pub download: Staging,
    pub layout: Layout,
    submission: SubmissionIndex,
}

impl SlabDevice {
    /// Allocates the buffers. Nothing is compiled yet.
    pub fn new(device: &Device, queue: &Queue, slabs: Slabs, weights: Weights) -> Result<Self, StreamError> {
        let size = slabs.size()?;
        let buffer = |label| {
            let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
            let label = Some(label);
            device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
        };
        // One kernel for all slabs, and for the grid as a whole: that of the grid's own borders.
        let mut kernel = slabs.get(0)?.config();
        kernel.borders = slabs.config.borders;
        Ok(SlabDevice {
            device: device.clone(),
            queue: queue.clone(),
            slabs,
            jacobi: Jacobi::new(device, kernel, weights)?,
            grids: [buffer("halofold stream: grid"), buffer("halofold stream: grid")],
            rhs: slabs.config.rhs.then(|| buffer("halofold stream: right-hand side")),
            recordings: HashMap::new(),
        })
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// A buffer for the layers of a slab on their way here, and one for the right-hand side.
    pub fn upload(&self) -> Result<Upload, StreamError> {
        let size = self.grids[0].size();
        let staging = || {
            let staging = Staging::new(&self.device, "halofold stream: from the file", size, MapMode::Write);
            staging.ask();
            staging.wait(&self.device).map(|()| staging)
        };
        Ok(Upload { cells: staging()?, rhs: self.rhs.as_ref().map(|_| staging()).transpose()? })
    }

    /// A buffer for the layers of a slab on their way back.
    pub fn download(&self) -> Staging {
        let size = self.grids[0].size() + CHECK_BYTES;
        Staging::new(&self.device, "halofold stream: to the file", size, MapMode::Read)
    }

    /// Submits a slab: its upload, its steps, and its download.
    pub fn submit(
        &mut self,
        slab: u32,
        round: Round,
        upload: Upload,
        download: Staging,
    ) -> Result<Flight, StreamError> {
        let (device, slabs) = (self.device.clone(), self.slabs);
        slabs.in_error_scopes(&device, || self.record((slab, &slabs.get(slab)?), round, upload, download))
    }

    fn record(
        &mut self,
        (slab, part): (u32, &Slab),
        round: Round,
        upload: Upload,
        download: Staging,
    ) -> Result<Flight, StreamError> {
        if round.steps > 0 {
            self.prepare(part, round)?;
        }
        let recording = self.recordings.get(&form(part, round));
        let begin = || self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut encoder = begin();
        self.encode_in(&mut encoder, part, &upload);
        let result = recording.map_or(0, |Recording { round: all, .. }| {
            let at_once = passes_at_once(all.passes(), part.bytes().saturating_mul(round.steps.into()));
            for first in (0..all.passes()).step_by(at_once) {
                if first > 0 {
                    self.queue.submit([mem::replace(&mut encoder, begin()).finish()]);
                }
                all.encode_passes(&mut encoder, 0, first..all.passes().min(first + at_once));
            }
            all.result(0)
        });
        let check = recording.and_then(|recording| recording.check.as_ref());
        let layout = self.encode_out(&mut encoder, part, (&self.grids[result], check), &download);
        let submission = self.queue.submit([encoder.finish()]);
        upload.cells.ask();
        upload.rhs.iter().for_each(Staging::ask);
        download.ask();
        Ok(Flight { slab, upload, download, layout, submission })
    }

    fn encode_in(&self, encoder: &mut CommandEncoder, slab: &Slab, upload: &Upload) {
        let all = words(0..slab.bytes()).end;
        let [first, second] = &self.grids;
        upload.cells.unmap();
        encoder.copy_buffer_to_buffer(upload.cells.buffer(), 0, first, 0, all);
        // Fixed cells are never written: the second buffer needs them too.
        encoder.copy_buffer_to_buffer(first, 0, second, 0, all);
        if let (Some(staging), Some(rhs)) = (&upload.rhs, &self.rhs) {
            staging.unmap();
            encoder.copy_buffer_to_buffer(staging.buffer(), 0, rhs, 0, all);
        }
    }

    fn encode_out(
        &self,
        encoder: &mut CommandEncoder,
        slab: &Slab,
        (grid, check): (&Buffer, Option<&([Prepared; 2], Buffer)>),
        download: &Staging,
    ) -> Layout {
        let own = slab.own_bytes();
        // 16-bit cells may begin and end inside a word.
        let copied = words(own.clone());
        let (len, skip) = (copied.end - copied.start, own.start - copied.start);
        encoder.copy_buffer_to_buffer(grid, copied.start, download.buffer(), 0, len);
        let mut end = len;
        if let Some((parts, found)) = check {
            parts.iter().for_each(|part| part.encode(encoder));
            end += found.size();
            encoder.copy_buffer_to_buffer(found, 0, download.buffer(), len, end - len);
        }
        let bytes = |range: Range<u64>| range.start as usize..range.end as usize;
        Layout { own: bytes(skip..skip + own.end - own.start), change: bytes(len..end) }
    }

    /// Waits for a slab.
    pub fn wait(&self, flight: &Flight) -> Result<(), StreamError> {
        let Flight { upload, download, submission, .. } = flight;
        read::wait_for(&self.device, submission.clone()).map_err(WorkerError::from)?;
        for staging in [&upload.cells, download].into_iter().chain(&upload.rhs) {
            staging.wait(&self.device)?;
        }
        Ok(())
    }

    /// Compiles and binds the kernels for slabs of a form, unless an earlier slab had the same form.
    fn prepare(&mut self, slab: &Slab, round: Round) -> Result<(), StreamError> {
        if let Entry::Vacant(place) = self.recordings.entry(form(slab, round)) {
            let [first, second] = &self.grids;
            let grids = Grids::new(first, second);
            let grids = self.rhs.as_ref().map_or(grids, |rhs| grids.with_rhs(rhs));
            let stepper = self.jacobi.prepare_slab(slab, grids)?;
            place.insert(if round.is_checked {
                Recording { round: stepper.checked_round(round.steps)?, check: Some(stepper.check()?) }
            } else {
                Recording { round: stepper.round(round.steps)?, check: None }
            });
        }
        Ok(())
    }
}

/// The number of passes over a slab for one submission, if all of them together are so many and go over so many bytes.
fn passes_at_once(passes: usize, bytes: u64) -> usize {
    passes.div_ceil(bytes.div_ceil(SUBMISSION).max(1) as usize).max(1)
}

fn form(slab: &Slab, round: Round) -> Form {
    let neighbours = Side::BOTH.map(|side| slab.halo(side).is_some());
    Form { layers: slab.own().len() as u32, neighbours, round }
}

/// A range of bytes, widened to the words that a copy takes.
pub(super) fn words(bytes: Range<u64>) -> Range<u64> {
    let word = wgpu::COPY_BUFFER_ALIGNMENT;
    bytes.start / word * word..bytes.end.next_multiple_of(word)
}

#[cfg(test)]
mod tests {
    use super::{SUBMISSION, passes_at_once};

    #[test]
    fn submissions_are_equal_and_short() {
        let submissions = |passes: usize, bytes| passes.div_ceil(passes_at_once(passes, bytes));
        assert_eq!(
            [0, SUBMISSION, SUBMISSION + 1, 5 * SUBMISSION].map(|bytes| submissions(10, bytes)),
            [1, 1, 2, 5]
        );
        assert_eq!((submissions(3, 20 * SUBMISSION), submissions(1, u64::MAX)), (3, 1));
    }
}
