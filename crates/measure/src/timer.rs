//! Time on the GPU, or wall time if the GPU has no timestamps.
//!
//! A sample is one compute pass that runs the work several times, between two timestamps. All samples of a measurement
//! go out in one submission behind a warm-up, so that the GPU never idles and its clock stays up; the timestamps
//! are resolved in a second submission after the first has completed, because on macOS a resolve in the same one may
//! read zeros. A pair that is zero or runs backwards means that this adapter's timestamps are of no use. Wall time is taken instead,
//! from then on always, so that no two rows of one run come from different clocks without need.
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use halofold::adapter;
use halofold::read::{self, ReadError};

use serde::{Deserialize, Serialize};
use wgpu::{Device, Queue};

use crate::sampling::{collect, load_until_steady, ratio};
use crate::timestamps::Timestamps;
use crate::{Rejection, Summary};

/// The most samples of one measurement: the query set has two timestamps for each.
const MAX_SAMPLES: u32 = 512;

/// The most repetitions inside one sample.
pub(crate) const MAX_REPEATS: u32 = 2000;

/// [`Timer::measure_n`] runs one uncounted repetition for this many counted ones first.
const LEAD: u32 = 4;

/// After a longer pause than this a GPU may have lowered its clock.
const PAUSE: Duration = Duration::from_millis(20);

/// The source of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Timing {
    /// Timestamps of the GPU.
    Gpu,
    /// The host's clock around batches of dispatches.
    Wall,
}

impl Timing {
    /// `gpu` or `wall`.
    pub const fn name(self) -> &'static str {
        match self {
            Timing::Gpu => "gpu",
            Timing::Wall => "wall",
        }
    }

    /// The name of a benchmark, which says so where its times are the host's.
    pub fn mark(self, name: &str) -> String {
        match self {
            Timing::Gpu => name.to_owned(),
            Timing::Wall => format!("{name} (wall)"),
        }
    }
}

/// Limits on the time of a measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Samples requested.
    pub samples: u32,
    /// Samples at most: there are more than `samples` where these spread so far that their median is not known to a hundredth.
    pub most_samples: u32,
    /// Least duration of one sample: short work is repeated until it is reached.
    pub sample: Duration,
    /// Load before the first sample, at least.
    pub warm_up: Duration,
    /// The same after a pause.
    pub warm_up_after_pause: Duration,
    /// Load before the first sample, at most.
    pub warm_up_limit: Duration,
    /// Number of batches of the load that must be no faster than as many before them, before the first sample.
    pub settled: u32,
    /// Longest time of all samples together: there will be fewer if need be, but at least three.
    pub total: Duration,
}

impl Budget {
    /// Seconds at full clock on a GPU.
    pub(crate) const GPU: Budget = Budget {
        samples: 31,
        most_samples: MAX_SAMPLES,
        sample: Duration::from_millis(2),
        warm_up: Duration::from_millis(120),
        warm_up_after_pause: Duration::from_millis(500),
        warm_up_limit: Duration::from_secs(3),
        settled: 3,
        total: Duration::from_secs(4),
    };

    /// Fractions of a second on a software adapter.
    const PROCESSOR: Budget = Budget {
        samples: 7,
        most_samples: 31,
        sample: Duration::ZERO,
        warm_up: Duration::from_millis(10),
        warm_up_after_pause: Duration::from_millis(10),
        warm_up_limit: Duration::from_millis(100),
        settled: 2,
        total: Duration::from_millis(150),
    };

    /// The time that suits a device.
    pub fn of(device: &Device) -> Self {
        if adapter::is_software(&device.adapter_info()) { Budget::PROCESSOR } else { Budget::GPU }
    }

    /// The same with this number of samples, neither more nor fewer.
    pub fn exactly(self, samples: u32) -> Self {
        Budget { samples, most_samples: samples, total: Duration::from_secs(3600), ..self }
    }
}

/// Times of one piece of work.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Milliseconds of one repetition, per sample; at least one.
    ms: Vec<f64>,
    /// Repetitions in one sample.
    pub repeats: u32,
    /// The clock that they come from.
    pub timing: Timing,
}

impl Measurement {
    /// Milliseconds of one repetition, per sample; at least one sample.
    pub fn samples(&self) -> &[f64] {
        &self.ms
    }

    /// Median, spread and minimum, in milliseconds.
    pub fn summary(&self) -> Summary {
        Summary::of(&self.ms).expect("a measurement has at least one sample")
    }
}

/// Errors that leave nothing measured.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// The device did not complete the work.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An operation could not be bound.
    #[error(transparent)]
    Operation(#[from] halofold::Error),
    /// The device refused a kernel, or what it is bound to.
    #[error("{0}")]
    Device(String),
    /// A comparison of grids is not to be trusted.
    #[error("this device finds no difference between two grids that differ: its results cannot be verified")]
    Blind,
    /// A result does not count.
    #[error("the result does not count: {0}")]
    Rejected(#[from] Rejection),
}

/// Puts one repetition of some work into a pass.
pub type Encode<'a> = &'a dyn Fn(&mut wgpu::ComputePass<'_>);

/// Measures work on one device.
#[derive(Debug)]
pub struct Timer {
    device: Device,
    queue: Queue,
    timestamps: Option<Timestamps>,
    /// Set once the timestamps of this device have twice in a row made no sense.
    silent: AtomicBool,
    /// The last time at which the device completed work of this timer.
    busy: Mutex<Option<Instant>>,
}

/// One pass of a submission.
#[derive(Clone, Copy)]
struct Load<'a> {
    repeats: u32,
    /// The sample whose timestamps go around it.
    sample: Option<u32>,
    record: Encode<'a>,
}

impl Timer {
    /// One per device and process: some back ends have few query sets to give.
    pub fn new(device: &Device, queue: &Queue) -> Self {
        let timestamps = Timestamps::new(device, queue, MAX_SAMPLES);
        Timer { timestamps, ..Timer::wall(device, queue) }
    }

    /// A timer that goes by the host's clock, even if the device has timestamps.
    pub fn wall(device: &Device, queue: &Queue) -> Self {
        let (silent, busy) = (AtomicBool::new(false), Mutex::new(None));
        Timer { device: device.clone(), queue: queue.clone(), timestamps: None, silent, busy }
    }

    /// The clock it goes by, as far as it knows: timestamps that turn out to make no sense end in the host's.
    pub fn timing(&self) -> Timing {
        if self.timestamps().is_some() { Timing::Gpu } else { Timing::Wall }
    }

    /// The timestamps, unless there are none or they make no sense.
    fn timestamps(&self) -> Option<&Timestamps> {
        self.timestamps.as_ref().filter(|_| !self.silent.load(Ordering::Relaxed))
    }

    /// The device it measures on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Its queue.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Loads the device until it gets no faster, and returns the time of one repetition then: [`Timer::measure`] begins with it. A device
    /// that has had nothing to do is loaded longer, as its clock may be slow to rise.
    pub fn warm_up(&self, budget: Budget, record: Encode<'_>) -> Result<Duration, MeasureError> {
        let least = if self.pause() > PAUSE { budget.warm_up_after_pause } else { budget.warm_up };
        self.run(1, record)?;
        load_until_steady(&budget, least, |repeats| {
            let once = self.time_of(repeats, record)?;
            log::debug!("warm-up: {repeats} times {once:?}");
            Ok(once * repeats)
        })
    }

    /// Measures the commands that `record` puts into a pass. The first run, which may compile, is not counted.
    pub fn measure(&self, budget: Budget, record: Encode<'_>) -> Result<Measurement, MeasureError> {
        let once = self.warm_up(budget, record)?;
        let repeats = ratio(budget.sample, once).clamp(1, MAX_REPEATS);
        let most = ratio(budget.total, once * repeats).clamp(3, MAX_SAMPLES);
        let samples = budget.samples.clamp(1, most);
        let most_samples = budget.most_samples.clamp(samples, most);
        let budget = Budget { samples, most_samples, ..budget };
        let warm_up = ratio(budget.sample, once * repeats);

        let by_stamps = |samples| {
            let start = Instant::now();
            let ms = self.samples(samples, repeats, warm_up, record)?;
            Ok::<_, MeasureError>(ms.map(|ms| (ms, start.elapsed())))
        };
        if let Some(ms) = collect(&budget, by_stamps)? {
            return Ok(Measurement { ms, repeats, timing: Timing::Gpu });
        }
        let by_the_wall = |samples| {
            let start = Instant::now();
            let ms = (0..samples).map(|_| Ok(self.time_of(repeats, record)?.as_secs_f64() * 1e3));
            Ok::<_, MeasureError>(Some((ms.collect::<Result<_, MeasureError>>()?, start.elapsed())))
        };
        let ms = collect(&budget, by_the_wall)?.unwrap_or_default();
        Ok(Measurement { ms, repeats, timing: Timing::Wall })
    }

    /// Runs the commands that `record` puts into a pass, once, and waits: milliseconds on the GPU, `None` if this adapter has no timestamps.
    ///
    /// No warm-up and no repetition: for work that runs once. The clock may still be idle.
    pub fn once(&self, record: Encode<'_>) -> Result<Option<f64>, MeasureError> {
        if self.timestamps().is_none() {
            self.run(1, record)?;
            return Ok(None);
        }
        Ok(self.samples(1, 1, 0, record)?.map(|ms| ms[0]))
    }

    /// Runs the commands that `record` puts into a pass exactly `repeats` times and returns their time together.
    ///
    /// For a harness that counts repetitions itself. On a GPU a few uncounted ones go before, so that its clock does
    /// not fall between two calls. Without timestamps, the way from submission to completion counts.
    pub fn measure_n(&self, repeats: u64, record: Encode<'_>) -> Result<(Duration, Timing), MeasureError> {
        let software = adapter::is_software(&self.device.adapter_info());
        let pieces = pieces(repeats);
        let mut ms = Some(0.0);
        for &piece in &pieces {
            if !software {
                self.run(piece.div_ceil(LEAD), record)?;
            }
            let each = self.samples(1, piece, 0, record)?;
            ms = ms.zip(each).map(|(ms, each)| ms + each[0] * f64::from(piece));
            if ms.is_none() {
                break;
            }
        }
        if let Some(ms) = ms {
            return Ok((Duration::from_secs_f64(ms / 1e3), Timing::Gpu));
        }
        let mut wall = Duration::ZERO;
        for piece in pieces {
            wall += self.time_of(piece, record)? * piece;
        }
        Ok((wall, Timing::Wall))
    }

    /// Runs the commands that `lead` puts into a pass, uncounted, and then those that `record` puts into one of its own, and returns the time of these.
    ///
    /// For work that cannot be repeated in one pass, as dispatches that write the same buffer wait for one another: a harness
    /// puts many different ones into the pass. The lead keeps the GPU's clock up, and may drive caches empty.
    pub fn measure_after(
        &self,
        lead: Encode<'_>,
        record: Encode<'_>,
    ) -> Result<(Duration, Timing), MeasureError> {
        let lead = Load { repeats: 1, sample: None, record: lead };
        let counted = Load { repeats: 1, sample: Some(0), record };
        if let Some(ms) = self.stamped(&[lead, counted], 1)? {
            return Ok((Duration::from_secs_f64(ms[0] / 1e3), Timing::Gpu));
        }
        self.submit(&[lead])?;
        Ok((self.time_of(1, record)?, Timing::Wall))
    }

    /// Timestamp writes for a pass that the caller records and submits: its time is number `place` of [`Timer::resolve`].
    /// `None` if this adapter has no timestamps, and from the 512th place on.
    pub fn stamp(&self, place: u32) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        self.timestamps().filter(|_| place < MAX_SAMPLES).map(|timestamps| timestamps.around(place))
    }

    /// Times of some passes with the writes of [`Timer::stamp`], in milliseconds. They must be over: on macOS,
    /// timestamps that are resolved earlier may be zeros. `None` for a pass whose timestamps make no sense.
    pub fn resolve(&self, places: Range<u32>) -> Result<Vec<Option<f64>>, MeasureError> {
        let count = places.len();
        match self.timestamps().filter(|_| count > 0 && places.end <= MAX_SAMPLES) {
            Some(timestamps) => timestamps.resolve(&self.device, &self.queue, places),
            None => Ok(vec![None; count]),
        }
    }

    /// Time for which the device has had nothing to do for this timer; the longest duration if it never had.
    fn pause(&self) -> Duration {
        let busy = *self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        busy.map_or(Duration::MAX, |busy| busy.elapsed())
    }

    /// Wall time of one repetition, from a batch of them.
    fn time_of(&self, repeats: u32, record: Encode<'_>) -> Result<Duration, MeasureError> {
        let start = Instant::now();
        self.run(repeats, record)?;
        Ok((start.elapsed() / repeats).max(Duration::from_nanos(100)))
    }

    /// Samples of some repetitions each by timestamps, in milliseconds of one repetition; `None` if this adapter has no timestamps.
    fn samples(
        &self,
        samples: u32,
        repeats: u32,
        warm_up: u32,
        record: Encode<'_>,
    ) -> Result<Option<Vec<f64>>, MeasureError> {
        let load = |sample| Load { repeats, sample, record };
        let mut loads = vec![load(None); warm_up as usize];
        loads.extend((0..samples).map(|sample| load(Some(sample))));
        let ms = self.stamped(&loads, samples)?;
        Ok(ms.map(|ms| ms.into_iter().map(|ms| ms / f64::from(repeats)).collect()))
    }

    /// The milliseconds of each pass that is a sample; `None` if this adapter has no timestamps.
    ///
    /// A clock may wrap around between two timestamps, so they are measured a second time before they are given up.
    fn stamped(&self, loads: &[Load<'_>], samples: u32) -> Result<Option<Vec<f64>>, MeasureError> {
        let Some(timestamps) = self.timestamps() else { return Ok(None) };
        for _ in 0..2 {
            self.submit(loads)?;
            let ms = timestamps.resolve(&self.device, &self.queue, 0..samples)?;
            if let Some(ms) = ms.into_iter().collect() {
                return Ok(Some(ms));
            }
        }
        log::debug!("timestamps that are zero or run backwards, twice: wall time from now on");
        self.silent.store(true, Ordering::Relaxed);
        Ok(None)
    }

    /// Submits one pass of some repetitions, and waits.
    fn run(&self, repeats: u32, record: Encode<'_>) -> Result<(), MeasureError> {
        self.submit(&[Load { repeats, sample: None, record }])
    }

    /// Submits some passes, and waits.
    fn submit(&self, loads: &[Load<'_>]) -> Result<(), MeasureError> {
        let mut encoder = self
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("halofold::measure") });
        for &Load { repeats, sample, record } in loads {
            let timestamps = sample.zip(self.timestamps.as_ref());
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("halofold::measure"),
                timestamp_writes: timestamps.map(|(sample, timestamps)| timestamps.around(sample)),
            });
            for _ in 0..repeats {
                record(&mut pass);
            }
        }
        read::wait_for(&self.device, self.queue.submit([encoder.finish()]))?;
        *self.busy.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        Ok(())
    }
}

/// Repetitions in pieces that one pass may hold.
fn pieces(repeats: u64) -> Vec<u32> {
    let most = u64::from(MAX_REPEATS);
    let mut pieces = vec![MAX_REPEATS; (repeats / most) as usize];
    pieces.extend((!repeats.is_multiple_of(most)).then_some((repeats % most) as u32));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_repetitions_add_up_to_all() {
        let most = u64::from(MAX_REPEATS);
        for repeats in [0, 1, most - 1, most, most + 1, 3 * most, 7 * most + 5] {
            let pieces = pieces(repeats);
            assert_eq!(pieces.iter().map(|piece| u64::from(*piece)).sum::<u64>(), repeats);
            assert!(pieces.iter().all(|piece| (1..=MAX_REPEATS).contains(piece)));
        }
    }
}
