//! The steps of a round, corrected by the times of rounds in the run. Pure arithmetic.
//!
//! Times measured before a run predict the best depth; this looks at those around it. A depth is tried for a few rounds, and the one before it
//! again, so that a GPU whose clock climbs, or a machine that does something else for a moment, does not decide.

/// Rounds whose median counts as the time of a depth.
const TIMED: usize = 5;

/// The part of the shorter time that a depth must be better by.
const BETTER: f64 = 0.01;

/// The same, for a depth that is taken at once: no clock climbs so much once it is steady.
const FAR_BETTER: f64 = 0.15;

/// The part of the time that the first depth may get faster by, from one measurement to the next, before others are tried.
const STEADY: f64 = 0.03;

/// The seconds of rounds at the depth that was found in which the search begins again if they get far faster: the clock climbed only after it.
const WATCHED: f64 = 2.0;

/// The depths that are tried, as fractions of the best one so far, until none of them is better.
const FRACTIONS: [(u32, u32); 6] = [(2, 1), (1, 2), (3, 2), (2, 3), (4, 1), (1, 4)];

/// A search for the depth whose steps take the least time.
#[derive(Clone, Debug)]
pub struct Search {
    /// Every depth is a multiple of so many steps, and at most as many.
    unit: u32,
    most: u32,
    best: u32,
    /// Seconds of a step at the best depth, once known.
    seconds: Option<f64>,
    stage: Stage,
    /// The next of the fractions, and how many were no better in a row.
    next: usize,
    refused: usize,
    /// Seconds of a step, of the rounds of the stage.
    times: Vec<f64>,
    /// Seconds of rounds that were watched.
    watched: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    /// The first depth, until it gets no faster.
    Steadying,
    /// Another one.
    Trying(u32),
    /// The best one again, after another one that took so long.
    Again(u32, f64),
    /// The depth that was found, whose rounds are still timed.
    Watching,
    /// Over.
    Settled,
}

impl Search {
    /// A search from a depth on, up to `most` steps.
    pub fn new(first: u32, unit: u32, most: u32) -> Self {
        let (times, stage) = (Vec::with_capacity(TIMED + 1), Stage::Steadying);
        Search { unit, most, best: first, seconds: None, stage, next: 0, refused: 0, times, watched: 0.0 }
    }

    /// The steps of the rounds to come.
    pub const fn depth(&self) -> u32 {
        match self.stage {
            Stage::Trying(depth) => depth,
            _ => self.best,
        }
    }

    /// The most steps of a round.
    pub const fn most(&self) -> u32 {
        self.most
    }

    /// True while no other depth is tried.
    pub const fn is_settled(&self) -> bool {
        matches!(self.stage, Stage::Watching | Stage::Settled)
    }

    /// The best depth so far.
    pub const fn best(&self) -> u32 {
        self.best
    }

    /// Adds the seconds of a full round of [`Search::depth`] steps. `agree` returns one time for all that decide together, of this one's: the times
    /// of ranks differ.
    pub fn add(&mut self, seconds: f64, agree: impl FnOnce(f64) -> f64) {
        if self.stage == Stage::Settled {
            return;
        }
        self.times.push(seconds / f64::from(self.depth()));
        // The first round at a depth is not like the others: its halos came at another one.
        if self.times.len() > TIMED {
            let times = &mut self.times[1..];
            times.sort_by(f64::total_cmp);
            let median = agree(times[TIMED / 2]);
            self.times.clear();
            self.decide(median);
        }
    }

    fn decide(&mut self, seconds: f64) {
        match self.stage {
            Stage::Steadying => {
                let is_steady = self.seconds.is_some_and(|before| seconds > before * (1.0 - STEADY));
                self.seconds = Some(self.seconds.map_or(seconds, |before| before.min(seconds)));
                if is_steady {
                    self.try_next();
                }
            }
            Stage::Trying(depth) if self.is_better(seconds, FAR_BETTER) => self.accept(depth, seconds),
            Stage::Trying(depth) if self.is_better(seconds, BETTER) => {
                self.stage = Stage::Again(depth, seconds);
            }
            Stage::Trying(_) => self.refuse(),
            Stage::Again(depth, others) => {
                self.seconds = Some(seconds);
                if self.is_better(others, BETTER) { self.accept(depth, others) } else { self.refuse() }
            }
            Stage::Watching if self.is_better(seconds, FAR_BETTER) => {
                (self.stage, self.seconds, self.refused) = (Stage::Steadying, Some(seconds), 0);
            }
            Stage::Watching => {
                self.watched += seconds * f64::from(self.best) * TIMED as f64;
                if self.watched > WATCHED {
                    self.stage = Stage::Settled;
                }
            }
            Stage::Settled => {}
        }
    }

    fn is_better(&self, seconds: f64, by: f64) -> bool {
        self.seconds.is_some_and(|best| seconds < best * (1.0 - by))
    }

    fn accept(&mut self, depth: u32, seconds: f64) {
        (self.best, self.seconds, self.refused) = (depth, Some(seconds), 0);
        // On in the same direction.
        self.next = (self.next + FRACTIONS.len() - 1) % FRACTIONS.len();
        self.try_next();
    }

    fn refuse(&mut self) {
        self.refused += 1;
        self.try_next();
    }

    /// Goes on with the next depth that there is; settles if there is none left.
    fn try_next(&mut self) {
        while self.refused < FRACTIONS.len() {
            let (times, by) = FRACTIONS[self.next];
            self.next = (self.next + 1) % FRACTIONS.len();
            let units = (self.best / self.unit).saturating_mul(times) / by;
            let depth = units.max(1).saturating_mul(self.unit).min(self.most / self.unit * self.unit);
            if depth != self.best {
                self.stage = Stage::Trying(depth);
                return;
            }
            self.refused += 1;
        }
        self.stage = Stage::Watching;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a search against the seconds of a step at each depth, and returns it and the number of rounds.
    fn run(mut search: Search, mut seconds: impl FnMut(u32, u32) -> f64) -> (Search, u32) {
        let mut rounds = 0;
        while !search.is_settled() {
            let depth = search.depth();
            assert!((search.unit..=search.most).contains(&depth) && depth.is_multiple_of(search.unit));
            search.add(seconds(depth, rounds) * f64::from(depth), |median| median);
            rounds += 1;
            assert!(rounds < 1000, "{search:?}");
        }
        (search, rounds)
    }

    /// A step's pass, an exchange that all steps of a round share, and layers that are computed twice.
    fn model(exchange: f64) -> impl Fn(u32, u32) -> f64 {
        move |depth, _| 25e-6 + exchange / f64::from(depth) + 3e-9 * f64::from(depth)
    }

    #[test]
    fn the_best_depth_is_found_from_any_first_one() {
        for exchange in [1e-6, 80e-6, 300e-6, 2e-3, 50e-3] {
            let cost = model(exchange);
            let best = (1..=32).map(|m| cost(24 * m, 0)).fold(f64::INFINITY, f64::min);
            for first in [24, 96, 240, 768] {
                let (search, rounds) = run(Search::new(first, 24, 768), &cost);
                assert!(cost(search.depth(), 0) < 1.03 * best, "{exchange} {first}: {}", search.depth());
                assert!(rounds <= 130, "{rounds}");
            }
        }
    }

    #[test]
    fn a_depth_is_not_taken_because_the_clock_climbs() {
        // Twice as fast after 40 rounds; every depth costs the same.
        let climbing = |_, rounds: u32| 1e-3 * (2.0 - f64::from(rounds.min(40)) / 40.0);
        assert_eq!(run(Search::new(96, 24, 768), climbing).0.depth(), 96);
    }

    #[test]
    fn depths_are_tried_again_once_the_clock_has_climbed() {
        // At a fifth of the clock an exchange is hidden, and no depth is better than the first one.
        let cost = model(300e-6);
        let (mut search, rounds) = run(Search::new(24, 24, 768), |_, _| 150e-6);
        assert_eq!((search.depth(), search.is_settled()), (24, true));
        for _ in rounds..400 {
            search.add(cost(search.depth(), 0) * f64::from(search.depth()), |median| median);
        }
        assert!(search.is_settled() && cost(search.depth(), 0) < 1.03 * cost(313, 0), "{}", search.depth());
        // Not for ever: ranks would ask each other for ever.
        while search.stage == Stage::Watching {
            search.add(cost(search.depth(), 0) * f64::from(search.depth()), |median| median);
        }
        search.add(0.0, |_| unreachable!("it is over"));
    }

    #[test]
    fn single_slow_rounds_do_not_count() {
        let cost = model(80e-6);
        let hiccups = |depth, rounds| cost(depth, 0) * if rounds % 5 == 4 { 9.0 } else { 1.0 };
        let (search, _) = run(Search::new(24, 24, 768), hiccups);
        assert!(cost(search.depth(), 0) < 1.03 * cost(163, 0), "{}", search.depth());
    }

    #[test]
    fn a_depth_beyond_a_plateau_is_found() {
        // Two H100 with 8192 x 16384 cells: the host's exchange is hidden only by longer rounds.
        let seconds = |depth, _| match depth {
            24 => 31.9e-6,
            48 => 31.7e-6,
            96 => 28.1e-6,
            192 => 28.4e-6,
            _ => 30e-6,
        };
        assert_eq!(run(Search::new(24, 24, 768), seconds).0.depth(), 96);
    }

    #[test]
    fn one_depth_needs_no_search() {
        let (search, rounds) = run(Search::new(24, 24, 40), model(1.0));
        assert_eq!((search.depth(), rounds), (24, 12));
    }
}
