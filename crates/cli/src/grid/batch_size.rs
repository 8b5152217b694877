//! Steps of one submission, chosen by measured times.

use std::time::Duration;

/// The time that one submission should take: long enough that the gaps between them do not count, short enough that a
/// desktop stays usable and no driver thinks that the GPU hangs.
const AIM: Duration = Duration::from_millis(150);

/// The most steps of one submission: recording them takes the host's time and memory.
pub const MOST: u32 = 1 << 14;

/// The most that a submission may be longer than the one before: the times so far may be mostly overhead.
const GROWTH: u32 = 8;

/// The measured speed of steps.
pub struct BatchSize {
    batch: u32,
    /// Batches: their steps and the GPU's milliseconds of one.
    gpu_ms: Vec<(u32, f64)>,
    has_timestamps: bool,
    /// All batches together.
    took: Duration,
    done: u32,
}

impl BatchSize {
    /// Starts with a single unit of this many steps, as nothing is known yet.
    pub fn new(unit: u32) -> Self {
        BatchSize { batch: unit, gpu_ms: Vec::new(), has_timestamps: true, took: Duration::ZERO, done: 0 }
    }

    /// The number of steps to submit where `left` are to be done: a multiple of `unit`, if there are as many.
    pub fn next(&self, left: u32, unit: u32) -> u32 {
        let units = (self.batch / unit).max(1);
        units.saturating_mul(unit).min(left)
    }

    /// Learns from steps that took so long on the wall, and on the GPU if it has timestamps.
    pub fn learn(&mut self, steps: u32, wall: Duration, gpu_ms: Option<f64>) {
        let took = gpu_ms.map_or(wall, |ms| Duration::from_secs_f64(ms / 1e3));
        match gpu_ms {
            Some(ms) => self.gpu_ms.push((steps, ms / f64::from(steps))),
            None => self.has_timestamps = false,
        }
        self.took += took;
        self.done += steps;
        let fitting = f64::from(steps) * AIM.as_secs_f64() / took.as_secs_f64();
        // A batch may have been cut short: that is no reason for a smaller size than before.
        let most = steps.saturating_mul(GROWTH).max(self.batch).min(MOST);
        self.batch = (fitting as u32).clamp(1, most);
    }

    /// The GPU's milliseconds of one step: the median over all steps, if there are timestamps of all.
    pub fn gpu_ms_median(&self) -> Option<f64> {
        let mut times = self.gpu_ms.clone();
        times.sort_by(|a, b| a.1.total_cmp(&b.1));
        let half = times.iter().map(|(steps, _)| u64::from(*steps)).sum::<u64>().div_ceil(2);
        let mut passed = 0;
        let median = times.iter().find(|(steps, _)| {
            passed += u64::from(*steps);
            passed >= half
        });
        median.map(|(_, ms)| *ms).filter(|_| self.has_timestamps)
    }

    /// Milliseconds of one step by the best clock there is; none before the first.
    pub fn ms_of_a_step(&self) -> Option<f64> {
        let mean = self.took.as_secs_f64() * 1e3 / f64::from(self.done);
        self.gpu_ms_median().or((self.done > 0).then_some(mean))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn batches_grow_towards_the_aim() {
        let mut size = BatchSize::new(1);
        assert_eq!(size.next(100, 1), 1);
        size.learn(1, ms(1), None);
        assert_eq!((size.next(100, 1), size.next(5, 1)), (8, 5));
        size.learn(8, ms(8), None);
        size.learn(64, ms(64), None);
        assert_eq!(size.next(1000, 1), 150);
        size.learn(150, ms(300), None);
        assert_eq!(size.next(1000, 1), 75);
        size.learn(3, ms(3), None);
        assert_eq!(size.next(1000, 1), 75);
        size.learn(1, ms(9000), None);
        assert_eq!(size.next(1000, 1), 1);
        for _ in 0..20 {
            let steps = size.next(u32::MAX, 1);
            size.learn(steps, Duration::from_nanos(1), None);
        }
        assert_eq!(size.next(u32::MAX, 1), MOST);
    }

    #[test]
    fn batches_are_whole_units() {
        let mut size = BatchSize::new(40);
        assert_eq!((size.next(1000, 40), size.next(39, 40)), (40, 39));
        size.learn(40, ms(60), None);
        assert_eq!((size.next(1000, 40), size.next(70, 40)), (80, 70));
        size.learn(40, ms(6000), None);
        assert_eq!(size.next(1000, 40), 40);
    }

    #[test]
    fn the_median_is_over_steps() {
        let mut size = BatchSize::new(1);
        assert_eq!(size.ms_of_a_step(), None);
        size.learn(1, ms(50), Some(40.0));
        size.learn(8, ms(50), Some(24.0));
        size.learn(100, ms(300), Some(200.0));
        assert_eq!((size.gpu_ms_median(), size.ms_of_a_step()), (Some(2.0), Some(2.0)));
        size.learn(55, ms(55), None);
        assert_eq!(size.gpu_ms_median(), None);
        assert_eq!(size.ms_of_a_step(), Some((40.0 + 24.0 + 200.0 + 55.0) / 164.0));
    }
}
