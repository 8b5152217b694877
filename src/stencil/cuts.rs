//! Cutting a run of steps into sweeps. Pure.
//!
//! Not every number of steps makes a sweep: in 2D the teams of a workgroup share them equally. So 7 steps are 3 and 4 where a
//! workgroup has up to 4 teams of up to 6 levels.

/// Cuts of runs of steps into sweeps: as few as possible, and most of them full.
#[derive(Debug)]
pub(super) struct Cuts {
    /// The steps that a sweep may make, in ascending order: a single one, up to the fullest sweep.
    possible: Vec<u32>,
    /// By an even or an odd number of sweeps, and by the steps that are left: the fewest of these sweeps, the sum of their squared steps, and
    /// the steps of the first one. `None` where there is no such number.
    best: [Vec<Option<Best>>; 2],
}

type Best = ((u32, u64), u32);

impl Cuts {
    /// Makes cuts into sweeps of at most `deepest` steps. `is_possible` says which sweeps the GPU can run. It can always run a single step.
    pub(super) fn new(deepest: u32, is_possible: impl Fn(u32) -> bool) -> Self {
        let possible: Vec<u32> = (1..=deepest).filter(|steps| is_possible(*steps)).collect();
        // Beyond three full sweeps, there is room for another one.
        let most = 3 * possible.last().map_or(0, |full| *full as usize);
        let mut best: [Vec<Option<Best>>; 2] = [0, 1].map(|_| vec![None; most + 1]);
        best[0][0] = Some(((0, 0), 0));
        for left in 1..=most {
            for odd in 0..2 {
                let tried = possible.iter().filter_map(|&steps| {
                    let ((sweeps, squares), _) = best[1 - odd][left.checked_sub(steps as usize)?]?;
                    Some(((sweeps + 1, squares + u64::from(steps).pow(2)), steps))
                });
                best[odd][left] = tried.min();
            }
        }
        Cuts { possible, best }
    }

    /// The steps that a sweep may make, in ascending order.
    pub(super) fn possible(&self) -> &[u32] {
        &self.possible
    }

    /// The steps of the fullest sweep.
    pub(super) fn full(&self) -> u32 {
        *self.possible.last().expect("a single step is a sweep")
    }

    /// The steps of each sweep of a run whose result is to be in the first buffer after an even number of steps, and in the second one
    /// after an odd number. A sweep reads one buffer and writes the other, however many steps it makes: so an even number of steps takes
    /// an even number of sweeps, and an odd one an odd one.
    pub(super) fn in_place(&self, steps: u32) -> impl Iterator<Item = u32> {
        self.cut(steps, [steps & 1])
    }

    /// The steps of each sweep of a run whose result may be in either buffer.
    pub(super) fn of(&self, steps: u32) -> impl Iterator<Item = u32> {
        self.cut(steps, [0, 1])
    }

    fn cut<const N: usize>(&self, steps: u32, parities: [u32; N]) -> impl Iterator<Item = u32> {
        let fullest = self.full();
        let most = steps / fullest;
        // This many full sweeps, and the parity of the number of sweeps for the remaining steps.
        let tried =
            (most.saturating_sub(2)..=most).flat_map(|full| parities.map(|odd| (full, (odd ^ full) & 1)));
        let left = |full: u32| (steps - full * fullest) as usize;
        let costs = tried.filter_map(|(full, odd)| {
            let ((sweeps, squares), _) = self.best[odd as usize][left(full)]?;
            Some(((full + sweeps, squares), (full, odd)))
        });
        let (_, (full, odd)) = costs.min().expect("single steps are sweeps");
        let mut at = (odd as usize, left(full));
        let rest = std::iter::from_fn(move || {
            let (_, steps) = self.best[at.0][at.1]?;
            at = (1 - at.0, at.1 - steps as usize);
            (steps > 0).then_some(steps)
        });
        std::iter::repeat_n(fullest, full as usize).chain(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::Cuts;

    #[test]
    fn every_run_is_cut_into_possible_sweeps() {
        for deepest in 1..40_u32 {
            for teams in [1, 2, 4, 5] {
                let is_possible = |steps: u32| {
                    (1..=teams)
                        .any(|team| steps.is_multiple_of(team) && steps / team <= deepest.div_ceil(teams))
                };
                let cuts = Cuts::new(deepest, is_possible);
                for steps in 0..200 {
                    let sweeps: Vec<_> = cuts.in_place(steps).collect();
                    check(&sweeps, steps, deepest, is_possible);
                    assert_eq!(sweeps.len() as u32 % 2, steps % 2, "{steps} by {deepest}: {sweeps:?}");
                    let free: Vec<_> = cuts.of(steps).collect();
                    check(&free, steps, deepest, is_possible);
                    assert!(free.len() <= sweeps.len(), "{steps} by {deepest}: {free:?}");
                    // If every sweep is possible, there are as few as can be.
                    if teams == 1 {
                        assert_eq!(free.len() as u32, steps.div_ceil(deepest));
                        assert!(sweeps.len() <= free.len() + 1);
                    }
                }
            }
        }
    }

    fn check(sweeps: &[u32], steps: u32, deepest: u32, is_possible: impl Fn(u32) -> bool) {
        assert_eq!(sweeps.iter().sum::<u32>(), steps, "{steps} by {deepest}");
        assert!(
            sweeps.iter().all(|sweep| is_possible(*sweep) && *sweep <= deepest),
            "{steps} by {deepest}: {sweeps:?}"
        );
    }

    #[test]
    fn remaining_steps_are_cut_into_few_similar_sweeps() {
        let cuts = Cuts::new(24, |steps| {
            [4, 3, 2, 1].iter().any(|teams| steps.is_multiple_of(*teams) && steps / teams <= 6)
        });
        let in_place = |steps| cuts.in_place(steps).collect::<Vec<_>>();
        assert_eq!(in_place(48), [24, 24]);
        assert_eq!(in_place(24), [12, 12]);
        assert_eq!(in_place(72 + 16), [24, 24, 24, 16]);
        assert_eq!(cuts.of(64).collect::<Vec<_>>(), [24, 24, 16]);
        assert_eq!(cuts.of(7).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(cuts.in_place(u32::MAX).count() as u32, u32::MAX / 24 + 1);
    }
}
