//! The slabs and passes of a run. Pure.

use std::ops::Range;

use halofold::stencil::Until;

use super::bounds::MOST_STEPS;
use super::{Bounds, StreamError};
use crate::split::part_of_layers;
use crate::stepping::{Round, Rounds};

/// A run, cut into passes over the file and each pass into slabs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    pub(super) layers: u32,
    pub(super) ring: bool,
    pub(super) align: u32,
    /// Layers that a step reaches.
    pub(super) radius: u32,
    pub(super) slabs: u32,
    /// The passes.
    pub(super) rounds: Rounds,
}

impl Schedule {
    /// Checks that the condition to stop is one, that there are cells, that a pass is not too long, that every slab fits a buffer, and
    /// that halos come from the neighbours alone.
    pub(super) fn checked(self, bounds: Bounds) -> Result<Self, StreamError> {
        if self.layers == 0 || bounds.layer_bytes == 0 {
            return Err(StreamError::Empty);
        }
        self.rounds.until.as_ref().map_or(Ok(()), Until::check)?;
        let (height, depth) = (self.largest(), self.depth());
        if depth > MOST_STEPS {
            return Err(StreamError::Deep { depth, most: MOST_STEPS });
        }
        if self.is_cut() && self.halo_layers() > self.smallest() {
            return Err(StreamError::Thin { height: self.smallest(), depth });
        }
        let held = self.most_held();
        if held > u64::from(bounds.room()) {
            let needed = held.saturating_mul(bounds.layer_bytes);
            return Err(StreamError::Room { height, depth, needed, room: bounds.buffer_bytes });
        }
        Ok(self)
    }

    /// The most layers that a slab holds with its halo.
    pub fn most_held(&self) -> u64 {
        let halos = match (self.slabs, self.ring) {
            (1, false) => 0,
            (2, false) => 1,
            _ => 2,
        };
        u64::from(self.largest()) + halos * u64::from(self.halo_layers())
    }

    /// Layers of the highest slab: the last one.
    pub fn largest(&self) -> u32 {
        self.own(self.slabs - 1).len() as u32
    }

    /// Layers of the lowest one.
    pub(super) fn smallest(&self) -> u32 {
        self.own(0).len() as u32
    }

    /// Steps of a pass, but for the last one.
    pub fn depth(&self) -> u32 {
        self.rounds.depth
    }

    /// The number of slabs of the grid.
    pub fn slabs(&self) -> u32 {
        self.slabs
    }

    /// True if a slab has neighbours.
    pub(super) fn is_cut(&self) -> bool {
        self.slabs > 1 || self.ring
    }

    /// Passes from one check to the next.
    fn passes_of_a_check(&self) -> u32 {
        self.rounds.period().div_ceil(self.depth())
    }

    /// The number of passes, at most. One copies the grid if there are no steps.
    pub fn passes(&self) -> u32 {
        let (steps, period) = (self.rounds.end, self.rounds.period());
        (steps / period * self.passes_of_a_check() + (steps % period).div_ceil(self.depth())).max(1)
    }

    /// The steps of a pass, and whether it is checked.
    pub fn pass(&self, pass: u32) -> Round {
        self.rounds.after(self.steps_before(pass))
    }

    /// Steps of all passes.
    pub fn all_steps(&self) -> u32 {
        self.rounds.end
    }

    /// Steps of all passes before one.
    pub fn steps_before(&self, pass: u32) -> u32 {
        let (checks, pass) = (pass / self.passes_of_a_check(), pass % self.passes_of_a_check());
        let period = u64::from(self.rounds.period());
        let since = (u64::from(pass) * u64::from(self.depth())).min(period);
        (u64::from(checks) * period + since).min(self.all_steps().into()) as u32
    }

    /// A slab's own layers.
    pub fn own(&self, slab: u32) -> Range<u32> {
        part_of_layers(self.layers, self.align, slab as usize, self.slabs as usize)
    }

    /// Layers of the grid before a slab.
    pub(super) fn layers_before(&self, slab: u32) -> u32 {
        if slab == 0 { 0 } else { self.own(slab - 1).end }
    }

    /// Steps that a halo is deep enough for: those of a pass, and those that alignment adds.
    pub fn halo_steps(&self) -> u32 {
        let unit = if self.radius.is_multiple_of(self.align) { 1 } else { self.align };
        self.depth().div_ceil(unit).saturating_mul(unit)
    }

    /// Layers of a halo: as many as its steps reach.
    pub fn halo_layers(&self) -> u32 {
        self.halo_steps().saturating_mul(self.radius)
    }
}

#[cfg(test)]
mod tests {
    use super::super::SlabSizes;
    use super::super::bounds::tests::bounds;
    use super::*;

    #[test]
    fn every_layer_is_owned_once() {
        for layers in 2..70 {
            for align in [1, 2] {
                for height in 1..40 {
                    let bounds = Bounds { align, ..bounds(layers, true, 1, 1000) };
                    let Ok(schedule) =
                        Schedule::new(bounds, SlabSizes { height: Some(height), depth: Some(1) })
                    else {
                        continue;
                    };
                    let mut owned = 0;
                    for slab in 0..schedule.slabs() {
                        let own = schedule.own(slab);
                        assert!(own.start == owned && own.start.is_multiple_of(align), "{schedule:?}");
                        let count = own.len() as u32;
                        assert!(
                            (schedule.smallest()..=schedule.largest()).contains(&count),
                            "{schedule:?} {own:?}"
                        );
                        assert!(count <= height.max(2 * align), "{schedule:?} {own:?} of {height}");
                        owned = own.end;
                    }
                    assert_eq!(owned, layers);
                }
            }
        }
    }

    #[test]
    fn passes_make_all_steps_and_end_where_checks_are_due() {
        for steps in 0..60 {
            for depth in 1..20 {
                for every in [None, Some(1), Some(7), Some(100)] {
                    let until = every.map(|every| Until::new(0.1).with_every(every));
                    let rounds = Rounds { depth: 1, end: steps, until };
                    let schedule = Bounds { rounds, ..bounds(100, false, steps, 1000) }.schedule(10, depth);
                    let all: Vec<_> = (0..schedule.passes()).map(|pass| schedule.pass(pass).steps).collect();
                    assert_eq!(
                        (all.iter().sum::<u32>(), schedule.steps_before(schedule.passes())),
                        (steps, steps)
                    );
                    assert!(steps == 0 || all.iter().all(|steps| (1..=depth).contains(steps)), "{all:?}");
                    let due = |every: u32| steps / every + u32::from(!steps.is_multiple_of(every));
                    let checked =
                        (0..schedule.passes()).filter(|pass| schedule.pass(*pass).is_checked).count();
                    assert_eq!(checked as u32, every.map_or(0, due), "{schedule:?}");
                }
            }
        }
    }
}
