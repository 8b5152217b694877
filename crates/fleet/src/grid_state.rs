//! A grid that is stepped, wherever it lies: on one GPU, on several of a process, or on those of all ranks.

use std::error::Error;
use std::io;
use std::ops::Range;

use halofold::stencil::{Config, Outcome, Tuning, Until, Variant};

use crate::Team;

/// Bytes that the passes of a submission read and write, on GPUs and on processors. A slow GPU takes a part of a second for them, a fast one
/// a hundred times the pause between two submissions.
const SUBMISSION: u64 = 16 << 30;
const SOFTWARE_SUBMISSION: u64 = 256 << 20;

/// The most steps of a submission: recording them takes the host's time and memory.
pub const MOST_STEPS: u32 = 1 << 14;

/// The most checks of a submission: what is recorded behind the end of a run takes time all the same.
const MOST_CHECKS: u32 = 256;

/// Returns the steps of a submission, in units of `unit` steps. With a condition, single steps are passes of their own.
pub fn steps_of_submission(config: &Config, unit: u32, until: Option<&Until>, is_software: bool) -> u32 {
    let (bytes, steps) = match (is_software, until) {
        (true, _) => (SOFTWARE_SUBMISSION, 1),
        (false, Some(_)) => (SUBMISSION, 1),
        (false, None) => (SUBMISSION, config.steps_per_pass()),
    };
    let passes = bytes / (2 * config.bytes()).max(1);
    let steps = passes.saturating_mul(steps.into()).min(MOST_STEPS.into()) as u32;
    let (unit, most) = until.map_or((unit.max(1), u32::MAX), |until| (until.every, MOST_CHECKS));
    (steps / unit).clamp(1, most) * unit
}

/// The error of a step or of a read: each kind of grid has its own.
pub type StepError = Box<dyn Error>;

/// Takes pieces of a grid.
pub type Sink<'a> = &'a mut dyn FnMut(&[u8]) -> io::Result<()>;

/// A grid that is stepped.
pub trait GridState {
    /// Makes some steps, or fewer if a check after every [`Until::every`] ends the run. Returns milliseconds on the GPU, if they are measured. The
    /// condition is the same every time.
    ///
    /// # Errors
    ///
    /// A device is lost.
    fn advance(&mut self, steps: u32, until: Option<&Until>) -> Result<Option<f64>, StepError>;

    /// The steps done, and the result of the last check.
    fn outcome(&self) -> Outcome;

    /// The steps to make in one call of [`advance`](Self::advance): a fraction of a second's.
    fn batch(&self, until: Option<&Until>) -> u32;

    /// Waits for all steps. At the end of a run with a condition the root of the sum of all squared changes becomes that of the exact sum.
    ///
    /// # Errors
    ///
    /// A device is lost.
    fn end(&mut self) -> Result<(), StepError>;

    /// Passes some bytes of the grid, or of the layers that are this process's, to `sink`, in pieces and in order.
    ///
    /// # Errors
    ///
    /// `sink` fails, or a device is lost.
    fn read(&self, range: Range<u64>, sink: Sink<'_>) -> Result<(), StepError>;

    /// The kernel that steps it, and the kernel's tuning.
    fn kernel(&self) -> (&'static Variant, Tuning);

    /// The layers of each slab, and the steps between two exchanges, of a grid that several share.
    fn cut(&self) -> Option<(Vec<u32>, u32)> {
        None
    }
}

impl dyn GridState + '_ {
    /// Some bytes of the grid.
    ///
    /// # Errors
    ///
    /// A device is lost.
    pub fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, StepError> {
        let mut bytes = Vec::with_capacity((range.end - range.start) as usize);
        self.read(range, &mut |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(bytes)
    }

    /// Writes some bytes of the grid to a file; `failed` makes an error of the file's.
    ///
    /// # Errors
    ///
    /// The file cannot be written, or a device is lost.
    pub fn write<E: From<StepError>>(
        &self,
        range: Range<u64>,
        mut file: impl io::Write,
        failed: impl FnOnce(io::Error) -> E,
    ) -> Result<(), E> {
        let mut error = None;
        let read = self.read(range, &mut |piece| {
            file.write_all(piece).map_err(|found| {
                let kind = found.kind();
                error = Some(found);
                kind.into()
            })
        });
        error.map_or(read.map_err(E::from), |error| Err(failed(error)))
    }
}

impl GridState for Team {
    fn advance(&mut self, steps: u32, until: Option<&Until>) -> Result<Option<f64>, StepError> {
        self.step(steps, until)?;
        Ok(None)
    }

    fn outcome(&self) -> Outcome {
        self.outcome()
    }

    fn batch(&self, until: Option<&Until>) -> u32 {
        steps_of_submission(&self.workers()[0].stencil(), self.halo(), until, false)
    }

    fn end(&mut self) -> Result<(), StepError> {
        Ok(self.finish()?)
    }

    fn read(&self, range: Range<u64>, sink: Sink<'_>) -> Result<(), StepError> {
        Ok(self.read(range, sink)?)
    }

    fn kernel(&self) -> (&'static Variant, Tuning) {
        let config = self.workers()[0].stencil();
        (config.variant, config.tuning)
    }

    fn cut(&self) -> Option<(Vec<u32>, u32)> {
        let layers = self.workers().iter().map(|worker| worker.slab().own().len() as u32);
        Some((layers.collect(), self.halo()))
    }
}

#[cfg(test)]
mod tests {
    use halofold::Element;
    use halofold::stencil::{FIVE_POINT, Grid};

    use super::*;

    #[test]
    fn submissions_are_whole_units_of_bounded_bytes() {
        let steps = |side, unit, until: Option<&Until>| {
            let config =
                Config::new(&FIVE_POINT, FIVE_POINT.fastest_step(), Element::F32, Grid::plane(side, side));
            steps_of_submission(&config, unit, until, false)
        };
        assert_eq!([steps(16_384, 1, None), steps(16_384, 3, None), steps(16_384, 48, None)], [8, 6, 48]);
        assert_eq!([steps(8, 1, None), steps(8, 1000, None)], [MOST_STEPS, 16_000]);
        let until = |every| Until::new(1.0).with_every(every);
        assert_eq!([5, 1].map(|every| steps(16_384, 1, Some(&until(every)))), [5, 8]);
        assert_eq!(steps(8, 1, Some(&until(10))), 2560);
    }
}
