//! Decides which GPUs that share a file take another piece of it.
//!
//! Pieces go to whichever GPU is free. Those that a slow GPU takes last would be waited for by all others, and so would those that are taken
//! in the file's order before they are done. A GPU therefore leaves the rest to the others once it would take longer with one piece than they with all.

use std::collections::VecDeque;
use std::time::Duration;

/// The pieces of each GPU so far, and the time that they took.
pub struct Paces {
    workers: Vec<Pace>,
    /// The most pieces that may be done before one that is not.
    most: u64,
}

#[derive(Clone, Default)]
struct Pace {
    /// The times when pieces were taken that are not done yet.
    taken: VecDeque<Duration>,
    done: u32,
    /// The time when the last one was done.
    last: Duration,
    /// The time at work for all that are done, and for the last one.
    busy: Duration,
    newest: Duration,
    /// True if it takes no more.
    has_left: bool,
}

impl Paces {
    /// None yet, of so many GPUs.
    pub fn new(workers: usize, most: u64) -> Self {
        Paces { workers: vec![Pace::default(); workers], most }
    }

    /// Returns true if a GPU takes the next piece now, the first one of so many that are left, and false if it takes no more.
    pub fn take(&mut self, worker: usize, left: u64, now: Duration) -> bool {
        let own = &self.workers[worker];
        // A first piece may be slow for other reasons: it counts against all that is left.
        let rest = if own.done > 1 { left.min(self.most) } else { left };
        let wait = own.seconds().map_or(0.0, |seconds| seconds * (own.taken.len() + 1) as f64);
        if wait > self.seconds_of_others(worker, rest) {
            self.workers[worker].has_left = true;
            return false;
        }
        self.workers[worker].taken.push_back(now);
        true
    }

    /// One of its pieces is done.
    pub fn done(&mut self, worker: usize, now: Duration) {
        let own = &mut self.workers[worker];
        let begun = own.taken.pop_front().unwrap_or(now).max(own.last);
        own.newest = now.saturating_sub(begun);
        own.busy += own.newest;
        own.last = now;
        own.done += 1;
    }

    /// True if a GPU has taken a piece.
    pub fn has_taken(&self, worker: usize) -> bool {
        self.workers[worker].done > 0
    }

    /// The time that the others need for their own pieces and for so many more; without end where nobody else is known to take them.
    fn seconds_of_others(&self, worker: usize, left: u64) -> f64 {
        let (mut pieces, mut speed) = (left, 0.0);
        for (number, other) in self.workers.iter().enumerate() {
            if let Some(seconds) = other.seconds().filter(|_| number != worker && !other.has_left) {
                pieces += other.taken.len() as u64;
                speed += 1.0 / seconds;
            }
        }
        if speed > 0.0 { pieces as f64 / speed } else { f64::INFINITY }
    }
}

impl Pace {
    /// The time for a piece, once one is done. A slow start counts until a faster piece, and a pause among many pieces does not.
    fn seconds(&self) -> Option<f64> {
        let mean = self.busy.checked_div(self.done)?;
        Some(mean.min(self.newest).as_secs_f64().max(1e-9))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces that a GPU may have at once.
    const HELD: usize = 3;

    /// The time that GPUs of these seconds a piece, and more for the first one of the last GPU, take for so many pieces, and how many pieces each
    /// of them takes.
    fn run(seconds: &[f64], first: f64, pieces: usize) -> (f64, Vec<usize>) {
        let mut paces = Paces::new(seconds.len(), 32 * seconds.len() as u64);
        let mut held: Vec<VecDeque<f64>> = vec![VecDeque::new(); seconds.len()];
        let mut last = vec![0.0f64; seconds.len()];
        let mut counts = vec![0; seconds.len()];
        let mut stays = vec![true; seconds.len()];
        let (mut next, mut now) = (0, 0.0f64);
        loop {
            // One piece each in turn.
            loop {
                let before = next;
                for (worker, second) in seconds.iter().enumerate() {
                    let room = if counts[worker] == held[worker].len() { 1 } else { HELD };
                    let may = stays[worker] && held[worker].len() < room;
                    if may && next < pieces {
                        stays[worker] =
                            paces.take(worker, (pieces - next) as u64, Duration::from_secs_f64(now));
                        if stays[worker] {
                            let is_slow = counts[worker] == 0 && worker + 1 == seconds.len();
                            last[worker] = last[worker].max(now) + second + if is_slow { first } else { 0.0 };
                            held[worker].push_back(last[worker]);
                            counts[worker] += 1;
                            next += 1;
                        }
                    }
                }
                if next == before {
                    break;
                }
            }
            let ends = |worker: &usize| held[*worker].front().copied().unwrap_or(f64::INFINITY);
            let first = (0..seconds.len()).min_by(|a, b| ends(a).total_cmp(&ends(b))).unwrap();
            let Some(end) = held[first].pop_front() else {
                assert_eq!(next, pieces, "all pieces are taken");
                return (now, counts);
            };
            now = end;
            paces.done(first, Duration::from_secs_f64(now));
        }
    }

    #[test]
    fn slow_gpus_never_make_it_longer_than_the_best_alone() {
        for pieces in [1, 2, 3, 7, 16, 64, 500, 3000] {
            for factor in [1.0, 1.1, 1.5, 2.0, 3.0, 10.0, 31.0, 64.0, 100.0, 1000.0] {
                for seconds in
                    [&[1.0, factor][..], &[factor, 1.0], &[factor, 1.0, factor], &[1.0, 1.0, factor, factor]]
                {
                    let (all, counts) = run(seconds, 0.0, pieces);
                    let best = pieces as f64;
                    assert!(all <= 1.05 * best + factor, "{pieces} pieces of {seconds:?}: {all}, {counts:?}");
                }
            }
        }
    }

    #[test]
    fn equal_gpus_take_equal_parts() {
        for gpus in [2, 3, 4] {
            let (all, counts) = run(&vec![1.0; gpus], 0.0, 120);
            assert!(all <= 120.0 / gpus as f64 + 2.0, "{all} {counts:?}");
        }
        // One slow piece is not the pace of a GPU.
        let (all, counts) = run(&[1.0; 2], 300.0, 2400);
        assert!(all <= 1200.0 + 160.0, "{all} {counts:?}");
        // A GPU of a third of the speed adds a third.
        let (all, counts) = run(&[1.0, 3.0], 0.0, 400);
        assert!((300.0..306.0).contains(&all), "{all} {counts:?}");
    }
}
