//! The choice of slabs and passes. Pure.

use std::ops::Range;

use super::StreamError;

/// The most steps of a pass that are chosen: what a deeper one saves in passes over the file is little, and it has
/// more layers to compute that are not its own.
const DEEPEST: u32 = 256;

/// The copies of a slab that a run holds: two grids, two on their way to the GPU, two on their way back.
const COPIES: u64 = 6;

/// The same of a right-hand side: one on the GPU and two on their way to it.
const COPIES_OF_RHS: u64 = 3;

/// How many buffers of a slab's size a run needs.
pub fn buffers(rhs: bool) -> u64 {
    COPIES + if rhs { COPIES_OF_RHS } else { 0 }
}

/// What is given: the grid and the room.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Layers of the grid.
    pub layers: u32,
    /// Whether the first layer is a neighbour of the last one.
    pub ring: bool,
    /// Steps to do.
    pub steps: u32,
    /// Bytes of one layer.
    pub layer_bytes: u64,
    /// Bytes of the largest buffer that a slab may take.
    pub buffer_bytes: u64,
    /// Steps that the kernel likes best to take at once, or a multiple of them.
    pub unit: u32,
}

/// What is asked for instead of what would be chosen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes {
    /// Layers of a slab.
    pub height: Option<u32>,
    /// Steps of a pass.
    pub depth: Option<u32>,
}

/// A run, cut into passes over the file and each pass into slabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    layers: u32,
    ring: bool,
    steps: u32,
    height: u32,
    depth: u32,
}

impl Plan {
    /// Chooses the height of slabs and the depth of passes.
    ///
    /// A pass takes as many steps as a quarter of the layers that a buffer holds, at most 256: then at least half of what is read and computed
    /// is the slab's own.
    pub fn new(bounds: Bounds, wishes: Wishes) -> Result<Self, StreamError> {
        let Bounds { layers, ring, steps, .. } = bounds;
        let room = bounds.room();
        let plan = |height, depth| Plan { layers, ring, steps, height, depth };
        let needed = steps.clamp(1, DEEPEST);
        let chosen = match (wishes.height, wishes.depth) {
            (Some(height), Some(depth)) => plan(height.min(layers), depth.min(steps.max(1))),
            (Some(height), None) => {
                let depth = (room.saturating_sub(height) / 2).min(height / 2).clamp(1, needed);
                plan(height.min(layers), bounds.even_depth(depth))
            }
            (None, Some(depth)) => {
                let depth = depth.min(steps.max(1));
                plan(bounds.even_height(room.saturating_sub(depth.saturating_mul(2))), depth)
            }
            (None, None) => {
                let depth = bounds.even_depth((room / 4).clamp(1, needed));
                plan(bounds.even_height(room.saturating_sub(2 * depth)), depth)
            }
        };
        chosen.check(bounds)?;
        Ok(chosen)
    }

    /// Checks that every slab fits a buffer.
    pub fn check(&self, bounds: Bounds) -> Result<(), StreamError> {
        let held = self.most_held();
        if held <= u64::from(bounds.room()) {
            return Ok(());
        }
        Err(StreamError::Room {
            height: self.height,
            depth: self.depth,
            needed: held.saturating_mul(bounds.layer_bytes),
            room: bounds.buffer_bytes,
        })
    }

    /// The most layers that a slab holds with its halo.
    pub fn most_held(&self) -> u64 {
        (0..self.slabs().min(3)).chain([self.slabs() - 1]).map(|slab| self.held(slab)).max().unwrap_or(0)
    }

    /// Layers of a slab, but for the last one.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Steps of a pass, but for the last one.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// How many slabs the grid has.
    pub fn slabs(&self) -> u32 {
        self.layers.div_ceil(self.height)
    }

    /// How many passes there are. One copies the grid if there are no steps.
    pub fn passes(&self) -> u32 {
        self.steps.div_ceil(self.depth).max(1)
    }

    /// Steps of a pass.
    pub fn steps(&self, pass: u32) -> u32 {
        self.depth.min(self.steps - self.steps_before(pass))
    }

    /// Steps of all passes.
    pub fn all_steps(&self) -> u32 {
        self.steps
    }

    /// Steps of all passes before one.
    pub fn steps_before(&self, pass: u32) -> u32 {
        self.depth.saturating_mul(pass).min(self.steps)
    }

    /// A slab's own layers.
    pub fn own(&self, slab: u32) -> Range<u32> {
        let start = slab * self.height;
        start..self.layers.min(start.saturating_add(self.height))
    }

    /// The layers of its halo, before and after its own. There are none beyond the sides of the grid that have no neighbour, and none
    /// where one slab is the grid.
    pub fn halo(&self, slab: u32) -> (u32, u32) {
        let own = self.own(slab);
        match (self.slabs(), self.ring) {
            (1, _) => (0, 0),
            (_, true) => (self.depth, self.depth),
            (_, false) => (self.depth.min(own.start), self.depth.min(self.layers - own.end)),
        }
    }

    /// Whether its first layer and its last one are cut from neighbours that it does not hold.
    pub fn cut(&self, slab: u32) -> (bool, bool) {
        let (own, (low, high)) = (self.own(slab), self.halo(slab));
        match (self.slabs(), self.ring) {
            (1, _) => (false, false),
            (_, true) => (true, true),
            (_, false) => (low < own.start, high < self.layers - own.end),
        }
    }

    /// How many layers it holds.
    pub fn held(&self, slab: u32) -> u64 {
        let (low, high) = self.halo(slab);
        u64::from(low) + self.own(slab).len() as u64 + u64::from(high)
    }

    /// The layers of the grid that it holds, in order: more than one run of them where a ring closes.
    pub fn pieces(&self, slab: u32) -> Vec<Range<u32>> {
        let (low, _) = self.halo(slab);
        let layers = u64::from(self.layers);
        let mut left = self.held(slab);
        // The halo of a ring may go round it more than once.
        let mut at =
            u64::from(self.own(slab).start) + layers * u64::from(low.div_ceil(self.layers)) - u64::from(low);
        let mut pieces = Vec::new();
        while left > 0 {
            let start = at % layers;
            let count = left.min(layers - start);
            pieces.push(start as u32..(start + count) as u32);
            (at, left) = (at + count, left - count);
        }
        pieces
    }
}

impl Bounds {
    /// Layers that a buffer holds.
    fn room(&self) -> u32 {
        u32::try_from(self.buffer_bytes / self.layer_bytes).unwrap_or(u32::MAX)
    }

    /// A height that makes slabs equal, `most` at most.
    fn even_height(&self, most: u32) -> u32 {
        // One slab needs no halo.
        if self.layers <= self.room() {
            return self.layers;
        }
        let slabs = self.layers.div_ceil(most.clamp(1, self.layers));
        self.layers.div_ceil(slabs)
    }

    /// A depth that makes passes equal, or full for the kernel, `most` at most.
    fn even_depth(&self, most: u32) -> u32 {
        let steps = self.steps.max(1);
        let even = steps.div_ceil(steps.div_ceil(most));
        // An even number of the kernel's own passes.
        let units = [2 * self.unit, self.unit].map(|unit| even.next_multiple_of(unit.max(1)));
        units.into_iter().find(|depth| *depth <= most).unwrap_or(even)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(layers: u32, ring: bool, steps: u32, room: u64) -> Bounds {
        Bounds { layers, ring, steps, layer_bytes: 10, buffer_bytes: 10 * room + 9, unit: 1 }
    }

    #[test]
    fn every_layer_is_owned_once_and_has_its_halo() {
        for (layers, ring, height, depth) in [
            (100, false, 7, 3),
            (100, true, 7, 3),
            (5, true, 2, 4),
            (5, false, 1, 9),
            (64, true, 64, 5),
            (1, true, 1, 1),
        ] {
            let wishes = Wishes { height: Some(height), depth: Some(depth) };
            let plan = Plan::new(bounds(layers, ring, 50, 1000), wishes).unwrap();
            let mut owned = 0;
            for slab in 0..plan.slabs() {
                let own = plan.own(slab);
                assert!(own.start == owned && !own.is_empty(), "{plan:?}");
                owned = own.end;
                let (low, high) = plan.halo(slab);
                let held: Vec<_> = plan.pieces(slab).into_iter().flatten().map(i64::from).collect();
                assert_eq!(held.len() as u64, plan.held(slab));
                let first = i64::from(own.start) - i64::from(low);
                let expected = first..i64::from(own.end) + i64::from(high);
                assert!(expected.map(|layer| layer.rem_euclid(layers.into())).eq(held), "{plan:?}");
                if plan.slabs() > 1 {
                    let first = held.first() == Some(&0) && !ring;
                    let last = held.last() == Some(&i64::from(layers - 1)) && !ring;
                    assert_eq!(plan.cut(slab), (!first, !last), "{plan:?}");
                    assert!(ring || low == depth || low == own.start, "{plan:?}");
                    assert!(ring || high == depth || high == layers - own.end, "{plan:?}");
                }
            }
            assert_eq!(owned, layers);
        }
    }

    #[test]
    fn passes_make_all_steps() {
        for steps in 0..60 {
            for depth in 1..20 {
                let wishes = Wishes { height: Some(10), depth: Some(depth) };
                let plan = Plan::new(bounds(100, false, steps, 1000), wishes).unwrap();
                let all: Vec<_> = (0..plan.passes()).map(|pass| plan.steps(pass)).collect();
                assert_eq!((all.iter().sum::<u32>(), plan.steps_before(plan.passes())), (steps, steps));
                assert!(steps == 0 || all.iter().all(|steps| (1..=depth).contains(steps)), "{all:?}");
            }
        }
    }

    #[test]
    fn what_is_chosen_fits_and_is_half_its_own() {
        for room in 3..300 {
            for (steps, ring) in [(0, false), (1, true), (7, false), (1000, true)] {
                let bounds = bounds(1000, ring, steps, room);
                let plan = Plan::new(bounds, Wishes::default()).unwrap();
                assert!(plan.most_held() <= room, "{plan:?} in {room}");
                assert!(
                    room < 4 || plan.most_held() <= 2 * u64::from(plan.height()) + 2,
                    "{plan:?} in {room}"
                );
                for height in 1..room.saturating_sub(1) as u32 {
                    let wishes = Wishes { height: Some(height), depth: None };
                    assert_eq!(Plan::new(bounds, wishes).unwrap().height(), height, "{height} in {room}");
                }
            }
        }
        // Equal slabs and passes.
        let plan = Plan::new(bounds(1000, false, 30, 80), Wishes::default()).unwrap();
        assert_eq!((plan.depth(), plan.passes(), plan.height(), plan.slabs()), (15, 2, 50, 20));
        let kernels = Bounds { unit: 4, ..bounds(1000, false, 1000, 80) };
        assert_eq!(Plan::new(kernels, Wishes::default()).unwrap().depth(), 16);
        // A grid that fits is one slab.
        let plan = Plan::new(bounds(80, true, 30, 80), Wishes::default()).unwrap();
        assert_eq!((plan.slabs(), plan.halo(0)), (1, (0, 0)));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refused = |room, height, depth| {
            let wishes = Wishes { height, depth };
            matches!(Plan::new(bounds(1000, false, 50, room), wishes), Err(StreamError::Room { .. }))
        };
        assert!(refused(2, None, None) && refused(0, None, None) && !refused(3, None, None));
        assert!(refused(20, Some(19), None) && !refused(20, Some(18), None));
        assert!(refused(20, None, Some(10)) && !refused(20, None, Some(9)));
        assert!(refused(20, Some(11), Some(5)) && !refused(20, Some(10), Some(5)));
    }
}
