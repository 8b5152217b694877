//! Decides whether a machine has reached its lasting speed, and whether there are enough samples. The rules take times and read no
//! clock, so tests simulate the machine.

use std::time::Duration;

use crate::timer::MAX_REPEATS;
use crate::{Budget, Summary};

/// Times that differ by less count as the same speed.
const SAME: f64 = 0.02;

/// Rounds of samples whose medians differ by less count as undisturbed.
const AGREE: f64 = 0.05;

/// Largest standard error of the median, relative to the median.
const CERTAIN: f64 = 0.01;

/// The fewest samples from which a spread is computed.
const FEWEST: usize = 5;

/// The fewest that say whether they became faster.
const FEWEST_OF_A_THIRD: usize = 3;

/// Loads a machine until it gets no faster, at least for so long, and returns the time of one repetition then. `run` does a number of
/// repetitions, and returns their time together.
///
/// An idle GPU is slow to raise its clock, the longer it idled the slower: a fixed time is not enough. And it may stay at its idle clock
/// for a while before it raises it at all, so that times that agree are not enough either: there is a least time as well.
pub(crate) fn load_until_steady<E>(
    budget: &Budget,
    least: Duration,
    mut run: impl FnMut(u32) -> Result<Duration, E>,
) -> Result<Duration, E> {
    let mut once = run(1)?;
    let mut spent = once;
    let mut times = Vec::new();
    while spent < budget.warm_up_limit && (spent < least || !is_flat(&times, budget.settled as usize)) {
        let repeats = ratio(budget.warm_up / 4, once).clamp(1, MAX_REPEATS);
        let batch = run(repeats)?;
        spent += batch;
        once = batch / repeats;
        times.push(once.as_secs_f64());
    }
    Ok(once.max(Duration::from_nanos(100)))
}

/// Returns true if the last batches are no faster than those before them.
fn is_flat(times: &[f64], window: usize) -> bool {
    let Some(before) = times.len().checked_sub(2 * window) else { return false };
    let (earlier, later) = times[before..].split_at(window);
    window == 0 || median(later) > (1.0 - SAME) * median(earlier)
}

/// Takes rounds of [`Budget::samples`] samples until the last two agree and the median is known well enough: samples of one round are taken
/// at once, and would all be slow if something else ran just then. There is one only if there are to be no more samples, and none
/// begins after the total time. `take` returns a number of samples, and their time; `None` if it cannot.
///
/// A round in which the machine was still becoming faster does not count, unless it was the last one that there was time for.
pub(crate) fn collect<E>(
    budget: &Budget,
    mut take: impl FnMut(u32) -> Result<Option<(Vec<f64>, Duration)>, E>,
) -> Result<Option<Vec<f64>>, E> {
    let mut kept: Vec<f64> = Vec::new();
    let (mut spent, mut before) = (Duration::ZERO, None);
    loop {
        let left = budget.most_samples.saturating_sub(kept.len() as u32).min(budget.samples);
        let Some((samples, took)) = take(left.max(1))? else { return Ok(None) };
        spent += took;
        let agrees = before.is_some_and(|before: f64| (before - median(&samples)).abs() <= AGREE * before);
        before = Some(median(&samples));
        if left == budget.samples && rises(&kept) {
            kept.clear();
        }
        kept.extend(samples);
        let over = kept.len() as u32 >= budget.most_samples || spent >= budget.total;
        if over || (agrees && !rises(&kept) && is_certain(&kept)) {
            return Ok(Some(kept));
        }
    }
}

/// Returns true if a machine was still becoming faster: the last third of the samples is faster than the first by more than
/// their spread.
fn rises(ms: &[f64]) -> bool {
    let third = ms.len() / 3;
    let ends = [&ms[..third], &ms[ms.len() - third..]].map(Summary::of);
    let [Some(first), Some(last)] = ends else { return false };
    third >= FEWEST_OF_A_THIRD && first.median - last.median > first.iqr.max(SAME * first.median)
}

/// Returns true if the median is known well enough, by its standard error: that of a mean, larger by √(π/2), with the standard
/// deviation that a normal distribution of this interquartile range has.
fn is_certain(ms: &[f64]) -> bool {
    let Some(summary) = Summary::of(ms).filter(|_| ms.len() >= FEWEST) else { return false };
    let deviation = summary.iqr / 1.349;
    let error = 1.2533 * deviation / (ms.len() as f64).sqrt();
    error <= CERTAIN * summary.median
}

fn median(times: &[f64]) -> f64 {
    Summary::of(times).map_or(f64::NAN, |summary| summary.median)
}

/// The quotient of two durations, rounded up.
pub(crate) fn ratio(larger: Duration, smaller: Duration) -> u32 {
    (larger.as_secs_f64() / smaller.as_secs_f64()).ceil().min(f64::from(u32::MAX)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// A machine whose speed is a function of the milliseconds that it has been busy, and which may be disturbed.
    struct Machine<S> {
        busy_ms: f64,
        speed: S,
        noise: f64,
        state: u64,
    }

    impl<S: Fn(f64) -> f64> Machine<S> {
        fn new(speed: S, noise: f64) -> Self {
            Machine { busy_ms: 0.0, speed, noise, state: 1 }
        }

        /// Does work that takes `ms` milliseconds at speed 1, in small steps.
        fn work(&mut self, ms: f64) -> f64 {
            const STEPS: u32 = 100;
            let start = self.busy_ms;
            for _ in 0..STEPS {
                self.busy_ms += ms / f64::from(STEPS) / (self.speed)(self.busy_ms);
            }
            self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let share = (self.state >> 40) as f64 / (1u64 << 24) as f64;
            self.busy_ms += self.noise * share * (self.busy_ms - start);
            self.busy_ms - start
        }

        /// One repetition takes a fifth of a millisecond at full speed.
        fn settle(&mut self, least: Duration) -> f64 {
            let run = |repeats| {
                Ok::<_, Infallible>(Duration::from_secs_f64(self.work(0.2 * f64::from(repeats)) / 1e3))
            };
            let Ok(once) = load_until_steady(&Budget::GPU, least, run);
            once.as_secs_f64() * 1e3
        }

        fn collect(&mut self, budget: &Budget) -> Vec<f64> {
            let take = |count| {
                let samples: Vec<f64> = (0..count).map(|_| self.work(2.0)).collect();
                let took = Duration::from_secs_f64(samples.iter().sum::<f64>() / 1e3);
                Ok::<_, Infallible>(Some((samples, took)))
            };
            let Ok(samples) = collect(budget, take);
            samples.unwrap()
        }
    }

    const LEAST: Duration = Budget::GPU.warm_up;

    fn is_near(value: f64, expected: f64) -> bool {
        (value / expected - 1.0).abs() < 0.05
    }

    #[test]
    fn a_machine_is_settled_at_full_speed() {
        // From a fifth of full speed, in 800 ms; and after 300 ms at a fifth, which only a least time waits for.
        let rises = |ms: f64| (0.2 + ms / 1000.0).min(1.0);
        let late = |ms: f64| if ms < 300.0 { 0.2 } else { 1.0 };
        for (speed, least, is_settled, busy) in [
            ((|_| 1.0) as fn(f64) -> f64, LEAST, true, 120.0..250.0),
            (rises, LEAST, true, 800.0..1500.0),
            (late, LEAST, false, 100.0..300.0),
            (late, Duration::from_millis(400), true, 400.0..1000.0),
        ] {
            let mut machine = Machine::new(speed, 0.0);
            let once = machine.settle(least);
            assert_eq!(is_near(once, 0.2), is_settled, "{once}");
            assert!(busy.contains(&machine.busy_ms), "{}", machine.busy_ms);
        }
    }

    #[test]
    fn nothing_is_waited_for_without_end() {
        // Faster and faster, by more than a hundredth every 10 ms.
        let mut machine = Machine::new(|ms| 1.001f64.powf(ms), 0.0);
        machine.settle(LEAST);
        assert!((3000.0..3200.0).contains(&machine.busy_ms), "{}", machine.busy_ms);
        // Slow work: one repetition is more than all there is time for.
        let mut machine = Machine::new(|_| 1e-5, 0.0);
        machine.settle(LEAST);
        assert!(machine.busy_ms < 21_000.0, "{}", machine.busy_ms);
    }

    #[test]
    fn steady_samples_are_two_rounds() {
        assert_eq!(Machine::new(|_| 1.0, 0.01).collect(&Budget::GPU).len(), 62);
    }

    #[test]
    fn a_disturbed_round_is_repeated() {
        // Something else halves the speed during the first round, or during the second.
        for (from, to) in [(0.0, 140.0), (70.0, 150.0)] {
            let speed = |ms: f64| if (from..to).contains(&ms) { 0.5 } else { 1.0 };
            let mut machine = Machine::new(speed, 0.01);
            let samples = machine.collect(&Budget::GPU);
            assert!(is_near(median(&samples), 2.0), "{from} to {to}: {samples:?}");
            assert!(machine.busy_ms > 62.0 * 2.0 + 60.0, "a third round: {}", machine.busy_ms);
        }
    }

    #[test]
    fn samples_that_spread_are_followed_by_more() {
        let few = Machine::new(|_| 1.0, 0.1).collect(&Budget::GPU).len();
        let many = Machine::new(|_| 1.0, 0.6).collect(&Budget::GPU).len();
        assert!(62 <= few && few < many && many <= 512, "{few} {many}");
        let only = Budget { most_samples: 31, ..Budget::GPU };
        assert_eq!(Machine::new(|_| 1.0, 0.6).collect(&only).len(), 31, "as many as were requested");
        let short = Budget { total: Duration::from_millis(100), ..Budget::GPU };
        assert_eq!(
            Machine::new(|_| 1.0, 0.6).collect(&short).len(),
            62,
            "no round begins after the time is over"
        );
    }

    #[test]
    fn samples_taken_while_the_clock_rises_do_not_count() {
        // The first row after a pause: half speed for 100 ms.
        let samples = Machine::new(|ms| if ms < 100.0 { 0.5 } else { 1.0 }, 0.0).collect(&Budget::GPU);
        assert!(is_near(median(&samples), 2.0) && !rises(&samples), "{samples:?}");
    }
}
