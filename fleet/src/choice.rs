//! One GPU or all of them, by measured times. Pure arithmetic.
//!
//! Before a run the time of a step on one GPU is measured, and that on all is predicted. The run begins with all unless one is faster by far, and goes
//! on with one if the rounds of all turn out slower.

use std::time::Duration;

/// The part of the predicted time of all GPUs that one may take and the run still begins with all: predictions are no better.
const CLEARLY: f64 = 0.8;

/// The part that all may be slower by than one.
const SLOWER: f64 = 0.02;

/// The part of the whole run's time on one that all may have lost while other depths are tried.
const LOST: f64 = 0.025;

/// The time after which the clock of a GPU that has idled no longer explains slow rounds.
pub const WARM: Duration = Duration::from_millis(300);

/// Updates of cells that one GPU makes while several are still measured.
const FEW: u64 = 1 << 31;

/// Returns true if a run of so many steps is over before several GPUs are ready.
pub const fn is_short(cells: u64, steps: u32) -> bool {
    cells.saturating_mul(steps as u64) < FEW
}

/// Steps of the whole grid on one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alone {
    /// The GPU.
    pub member: usize,
    /// Seconds of a step.
    pub seconds: f64,
}

/// Steps on several GPUs, in the run so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Together {
    /// Seconds of a step.
    pub seconds: f64,
    /// True if no other depth is tried any more.
    pub is_settled: bool,
    /// Their steps, and the time since the first of them.
    pub done: u32,
    pub since: Duration,
}

impl Alone {
    /// Returns true if several GPUs are not worth trying, by the seconds that a step is predicted to take on them.
    pub fn is_clearly_faster(&self, predicted: f64) -> bool {
        self.seconds < predicted * CLEARLY
    }

    /// Returns true if the run should go on with one GPU, for `left` more steps, where moving the grid takes `moving` seconds.
    pub fn is_faster(&self, all: Together, left: u32, moving: f64) -> bool {
        let is_slower = all.seconds > self.seconds * (1.0 + SLOWER);
        let lost = all.since.as_secs_f64() - self.seconds * f64::from(all.done);
        let is_decided =
            all.is_settled || lost > LOST * self.seconds * f64::from(all.done.saturating_add(left));
        let saved = (all.seconds - self.seconds) * f64::from(left);
        all.since >= WARM && is_slower && is_decided && saved > moving
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Search;

    const UNIT: u32 = 24;
    const MOST: u32 = 24 * 32;

    /// The seconds of a run, if a step takes one GPU `alone` seconds, and a round of a depth all of them as many as `round` says.
    fn simulated(alone: f64, steps: u32, moving: f64, round: impl Fn(u32) -> f64) -> f64 {
        let one = Alone { member: 0, seconds: alone };
        let mut search = Search::new(2 * UNIT, UNIT, MOST);
        let (mut done, mut seconds) = (0, 0.0);
        while done < steps {
            let depth = search.depth().min(steps - done);
            (done, seconds) = (done + depth, seconds + round(depth));
            search.add(round(search.depth()), |median| median);
            let since = Duration::from_secs_f64(seconds);
            let all = search.seconds().or(search.recent());
            let all = all.map(|seconds| Together { seconds, is_settled: search.is_settled(), done, since });
            if all.is_some_and(|all| one.is_faster(all, steps - done, moving)) {
                return seconds + moving + f64::from(steps - done) * alone;
            }
        }
        seconds
    }

    #[test]
    fn several_gpus_are_never_much_slower_than_one() {
        for alone in [8.5e-6, 27e-6, 93e-6, 227e-6, 1.8e-3] {
            // A run of 20 seconds; the transport adds this much to a round, and this much for each layer of a face.
            let steps = (20.0 / alone) as u32;
            for exchange in [0.0, 60e-6, 300e-6, 2e-3, 20e-3, 0.2] {
                for layer in [0.0, 1e-6, 40e-6, 1e-3, 5e-3] {
                    let round = |depth: u32| {
                        let depth = f64::from(depth);
                        depth * (alone / 2.0 + depth * 2e-9 + layer) + exchange
                    };
                    let took = simulated(alone, steps, 0.1, round);
                    let one = f64::from(steps) * alone;
                    assert!(took < 1.05 * one, "{alone} {exchange} {layer}: {took} of {one}");
                    let best = (1..=32).map(|m| round(UNIT * m) / f64::from(UNIT * m));
                    let best = best.fold(f64::INFINITY, f64::min) * f64::from(steps);
                    // A few rounds of a slow transport are a good part of the run.
                    let is_tried = exchange < 0.1 && layer < 1e-3;
                    assert!(
                        !is_tried || took < 1.1 * best.min(one),
                        "{alone} {exchange} {layer}: {took} of {best}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_grid_is_not_moved_for_what_the_move_costs() {
        let one = Alone { member: 0, seconds: 1e-3 };
        let all = Together { seconds: 2e-3, is_settled: true, done: 150, since: WARM };
        assert!(one.is_faster(all, 101, 0.1) && !one.is_faster(all, 99, 0.1));
        assert!(!one.is_faster(Together { seconds: 1.01e-3, ..all }, 1_000_000, 0.1));
        assert!(!one.is_faster(Together { since: WARM / 2, ..all }, 1_000_000, 0.1));
        let unsettled = Together { is_settled: false, ..all };
        assert!(!one.is_faster(unsettled, 1_000_000, 0.1) && one.is_faster(unsettled, 4000, 0.1));
    }

    #[test]
    fn short_runs_are_known_by_their_cells() {
        assert!(is_short(1 << 20, 1000) && !is_short(1 << 28, 100));
        assert!(!is_short(u64::MAX, u32::MAX));
    }
}
