//! The number of GPUs, by measured times. Pure arithmetic.
//!
//! Before a run the time of a step on one GPU is measured, and that on all, half of them and so on is predicted. The run begins with several unless one is faster by far,
//! and goes on with one if their rounds turn out slower.

use std::iter;
use std::time::Duration;

/// The part of the predicted time of all GPUs that one may take and the run still begins with all: predictions are no better.
const CLEARLY: f64 = 0.8;

/// The part of the predicted time of some GPUs that half of them must be expected to take, so that they are used instead.
const FEWER: f64 = 0.95;

/// The part that all may be slower by than one.
const SLOWER: f64 = 0.02;

/// The part of the whole run's time on one that all may have lost while other depths are tried.
const LOST: f64 = 0.015;

/// The time of steps that is not counted: GPUs whose clocks have fallen during the upload are several times slower in it.
const COLD: Duration = Duration::from_millis(400);

/// The time over which steps are timed.
const TIMED: Duration = Duration::from_millis(300);

/// The part that steps may get faster by, from one such time to the next, and still be taken for steady.
const STEADY: f64 = 0.03;

/// Updates of cells, and bytes of a grid, that one GPU is not even measured for.
const FEW: u64 = 1 << 31;
const SMALL: u64 = 1 << 28;

/// Seconds that it takes to open, warm and measure several GPUs and to cut a grid: for each of them, and for each GiB of the grid. Four H100 took 1.15 s longer than one
/// for 0.5 GiB, two 0.7 s, and 1.3 s for 1 GiB.
const READY: f64 = 0.4;
const READY_GIB: f64 = 0.6;

/// Seconds of an exchange beside a pass, of a slow host.
const EXCHANGE: f64 = 2e-4;

/// The least part of the time that several GPUs are expected to save. Where they save nothing it limits what it costs to measure them: of 22 s that a grid of
/// 2048 x 2048 took one H100, two lost 1 s.
const LEAST: f64 = 0.03;

/// Returns true if a run of so many steps over this many cells and bytes is over at once.
pub const fn is_tiny((cells, bytes): (u64, u64), steps: u32) -> bool {
    cells.saturating_mul(steps as u64) < FEW && bytes <= SMALL
}

/// Returns true if `count` GPUs save less than the time it takes to measure them, of a run of so many steps, each of which takes one GPU this many
/// seconds, of which a pass makes so many.
pub fn is_short(count: usize, (steps, seconds): (u32, f64), of_a_pass: u32, bytes: u64) -> bool {
    let pass = seconds * f64::from(of_a_pass);
    let saved = (1.0 - 1.0 / count as f64 - EXCHANGE / pass).max(LEAST);
    let ready = READY * count as f64 + READY_GIB * bytes as f64 / f64::from(1 << 30);
    f64::from(steps) * seconds * saved < ready
}

/// The number of equal GPUs to use of so many, and the steps of a round and the seconds of a step that `rounds` predicts for it: of all, of half of them,
/// and so on down to two.
pub fn count(all: usize, rounds: impl Fn(usize) -> (u32, f64)) -> (usize, (u32, f64)) {
    let halves = iter::successors(Some(all / 2), |count| Some(count / 2)).take_while(|count| *count >= 2);
    halves.map(|count| (count, rounds(count))).fold((all, rounds(all)), |more, fewer| {
        let is_faster = fewer.1.1 < more.1.1 * FEWER;
        if is_faster { fewer } else { more }
    })
}

/// Seconds of a pass over so many layers, by those of a slab and, if known, of all layers: a pass also takes some time for no layer.
pub fn pass_seconds(layers: u32, (some, seconds): (u32, f64), all: Option<(u32, f64)>) -> f64 {
    let layers = f64::from(layers);
    match all {
        Some((all, whole)) if all > some && whole > seconds => {
            let layer = (whole - seconds) / f64::from(all - some);
            (seconds + (layers - f64::from(some)) * layer).max(seconds * layers / f64::from(some) / 2.0)
        }
        _ => seconds * layers / f64::from(some),
    }
}

/// Steps of the whole grid on one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alone {
    /// The GPU.
    pub member: usize,
    /// Seconds of a step.
    pub seconds: f64,
}

/// The time of steps on several GPUs, by which they are held against one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Steps that count, since they last got faster, and the time that they took.
    done: u32,
    spent: Duration,
    /// The time before.
    cold: Duration,
    /// True if no other depth is tried any more.
    is_settled: bool,
    /// Steps and time at the begin of what is timed now.
    from: (u32, Duration),
    /// Seconds of a step in what was timed last, and true if they were hardly more before.
    seconds: Option<(f64, bool)>,
}

impl Progress {
    /// Adds steps and their time, and true if no other depth is tried any more.
    pub fn add(&mut self, steps: u32, took: Duration, is_settled: bool) {
        if self.cold < COLD {
            self.cold += took;
            return;
        }
        self.done = self.done.saturating_add(steps);
        self.spent += took;
        let (done, spent) = self.from;
        if is_settled != self.is_settled {
            (self.is_settled, self.from, self.seconds) = (is_settled, (self.done, self.spent), None);
        } else if self.done > done && self.spent - spent >= TIMED {
            let (steps, time) = (self.done - done, self.spent - spent);
            let seconds = time.as_secs_f64() / f64::from(steps);
            let is_steady = self.seconds.is_some_and(|(before, _)| seconds > before * (1.0 - STEADY));
            if !is_steady {
                (self.done, self.spent) = (steps, time);
            }
            (self.seconds, self.from) = (Some((seconds, is_steady)), (self.done, self.spent));
        }
    }
}

impl Alone {
    /// Returns true if several GPUs are not worth trying, by the seconds that a step is predicted to take on them.
    pub fn is_clearly_faster(&self, predicted: f64) -> bool {
        self.seconds < predicted * CLEARLY
    }

    /// Returns true if the run should go on with one GPU, for `left` more steps, where moving the grid takes `moving` seconds.
    pub fn is_faster(&self, all: &Progress, left: u32, moving: f64) -> bool {
        let Some((seconds, true)) = all.seconds else { return false };
        let is_slower = seconds > self.seconds * (1.0 + SLOWER);
        let lost = all.spent.as_secs_f64() - self.seconds * f64::from(all.done);
        let is_decided =
            all.is_settled || lost > LOST * self.seconds * f64::from(all.done.saturating_add(left));
        let saved = (seconds - self.seconds) * f64::from(left);
        is_slower && is_decided && saved > moving
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Search;

    const UNIT: u32 = 24;
    const MOST: u32 = 24 * 32;

    /// The seconds of a run, if a step takes one GPU `alone` seconds, and a round of a depth all of them as many as `round` says.
    /// Clocks climb in the first 300 ms.
    fn simulated(alone: f64, steps: u32, moving: f64, round: impl Fn(u32) -> f64) -> f64 {
        let one = Alone { member: 0, seconds: alone };
        let (mut search, mut progress) = (Search::new(2 * UNIT, UNIT, MOST), Progress::default());
        let (mut done, mut seconds) = (0, 0.0);
        while done < steps {
            let depth = search.depth().min(steps - done);
            let climbing = if seconds < 0.3 { 1.5 * alone * f64::from(depth) } else { 0.0 };
            let took = round(depth) + climbing;
            (done, seconds) = (done + depth, seconds + took);
            search.add(took, |median| median);
            progress.add(depth, Duration::from_secs_f64(took), search.is_settled());
            if one.is_faster(&progress, steps - done, moving) {
                return seconds + moving + f64::from(steps - done) * alone;
            }
        }
        seconds
    }

    #[test]
    fn several_gpus_are_never_much_slower_than_one() {
        for alone in [8.5e-6, 27e-6, 93e-6, 227e-6, 1.8e-3] {
            // A run of 40 seconds; the transport adds this much to a round, and this much for each layer of a face.
            let steps = (40.0 / alone) as u32;
            for exchange in [0.0, 60e-6, 300e-6, 2e-3, 20e-3, 0.2] {
                for layer in [0.0, 1e-6, 40e-6, 1e-3, 2e-3] {
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
        let seconds = Some((2e-3, true));
        let all = Progress { seconds, is_settled: true, done: 150, spent: TIMED, ..Progress::default() };
        assert!(one.is_faster(&all, 101, 0.1) && !one.is_faster(&all, 99, 0.1));
        assert!(!one.is_faster(&Progress { seconds: Some((1.01e-3, true)), ..all }, 1_000_000, 0.1));
        let unsettled = Progress { is_settled: false, ..all };
        assert!(!one.is_faster(&unsettled, 1_000_000, 0.1) && one.is_faster(&unsettled, 4000, 0.1));
    }

    #[test]
    fn steps_are_timed_again_and_again() {
        let mut progress = Progress::default();
        // The clock climbs.
        progress.add(10, COLD, false);
        progress.add(10, TIMED / 2, false);
        assert_eq!(progress.seconds, None);
        progress.add(20, TIMED / 2, false);
        assert_eq!((progress.done, progress.spent, progress.is_settled), (30, TIMED, false));
        let is = |progress: &Progress, steps: f64, steady: bool| {
            let (seconds, is_steady) = progress.seconds.unwrap();
            is_steady == steady && (seconds - TIMED.as_secs_f64() / steps).abs() < 1e-9
        };
        assert!(is(&progress, 30.0, false));
        progress.add(30, TIMED, false);
        assert!(is(&progress, 30.0, true) && progress.done == 60);
        // A depth that stays is timed by itself.
        progress.add(10, TIMED, true);
        assert_eq!(progress.seconds, None);
        progress.add(100, TIMED, true);
        // Only what comes after steps got faster counts.
        progress.add(300, TIMED, true);
        assert!(is(&progress, 300.0, false) && (progress.done, progress.spent) == (300, TIMED));
        progress.add(298, TIMED, true);
        assert!(progress.is_settled && is(&progress, 298.0, true) && progress.done == 598);
    }

    #[test]
    fn clocks_that_climb_leave_no_run_to_one() {
        // 8192 x 16384 and 512 cubed on two H100, whose first 512 steps take several times as long.
        for (alone, depth, both) in [(48.3e-6, 96, 28.6e-6), (227e-6, 24, 195e-6)] {
            let mut progress = Progress::default();
            let one = Alone { member: 0, seconds: alone };
            let mut done = 0;
            let mut seconds = 0.0;
            while seconds < 4.0 {
                let slower = if seconds < 0.3 {
                    5.0
                } else if seconds < 0.9 {
                    3.0
                } else {
                    1.0
                };
                let took = f64::from(depth) * both * slower;
                progress.add(depth, Duration::from_secs_f64(took), done > 2000);
                (done, seconds) = (done + depth, seconds + took);
                assert!(!one.is_faster(&progress, done, 0.0), "{done}");
            }
        }
    }

    #[test]
    fn half_of_the_gpus_are_used_where_exchanges_take_longer_than_they_save() {
        let on =
            |exchange: f64| count(8, |count| (24, 1e-3 / count as f64 + exchange * (count as f64).sqrt())).0;
        assert_eq!([1e-6, 2e-4, 1e-3, 1e-2].map(on), [8, 4, 2, 2]);
        // Hardly faster is not enough.
        assert_eq!(count(4, |count| (24, if count == 4 { 1.0 } else { 0.96 })), (4, (24, 1.0)));
        assert_eq!((count(3, |_| (24, 1.0)).0, count(2, |_| (24, 1.0)).0), (3, 2));
    }

    #[test]
    fn half_of_a_slab_takes_more_than_half_of_the_time() {
        // 4096 x 4096 on an H100: a quarter, and all; half of it took 137 us.
        let all = Some((4096, 204e-6));
        let half = pass_seconds(2048, (1024, 94e-6), all);
        assert!((125e-6..140e-6).contains(&half), "{half}");
        assert_eq!(pass_seconds(1024, (1024, 94e-6), all), 94e-6);
        // One that was measured cold says nothing.
        assert_eq!(pass_seconds(2048, (1024, 300e-6), all), 600e-6);
        assert_eq!(pass_seconds(2048, (1024, 94e-6), None), 188e-6);
    }

    #[test]
    fn short_runs_are_known_by_their_cells_and_by_a_pass() {
        assert!(is_tiny((1 << 20, 1 << 22), 1000) && !is_tiny((1 << 28, 1 << 30), 100));
        assert!(!is_tiny((u64::MAX, u64::MAX), u32::MAX) && !is_tiny((1 << 30, 1 << 32), 1));
        // 16384 x 8192 on an H100: 512 steps take 26 ms.
        let half = 1 << 29;
        assert!(is_short(2, (512, 51e-6), 24, half) && !is_short(2, (100_000, 51e-6), 24, half));
        // Two seconds on one H100: four take 2.3 s.
        assert!(is_short(4, (40_000, 48e-6), 24, half) && !is_short(4, (90_000, 48e-6), 24, half));
        assert!(is_short(2, (6_000_000, 3.77e-6), 24, 1 << 24));
        // A small grid: several save little.
        assert!(
            is_short(2, (1_000_000, 8.5e-6), 24, 1 << 26) && !is_short(2, (4_000_000, 8.5e-6), 24, 1 << 26)
        );
    }
}
