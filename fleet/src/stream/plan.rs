//! The choice of slabs and passes. Pure.

use std::ops::Range;

use halofold::stencil::{Border, Config, Dims, Until};
use halofold::wgpu::{COPY_BUFFER_ALIGNMENT, Limits};

use super::StreamError;

/// The most steps of a pass that are chosen: what a deeper one saves in passes over the file is little, and it has
/// more layers to compute that are not its own.
const DEEPEST: u32 = 256;

/// The most bytes that the steps of one pass go over in one submission: with much more a slow GPU is thought to hang.
const SUBMISSION: u64 = 64 << 30;

/// The copies of a slab that a run holds: two grids, two on their way to the GPU, two on their way back.
const COPIES: u64 = 6;

/// The same of a right-hand side: one on the GPU and two on their way to it.
const COPIES_OF_RHS: u64 = 3;

/// How many buffers of a slab's size a run needs.
pub(super) fn buffers(rhs: bool) -> u64 {
    COPIES + if rhs { COPIES_OF_RHS } else { 0 }
}

/// What is given: the grid and the room.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Layers of the grid.
    layers: u32,
    /// Whether the first layer is a neighbour of the last one.
    ring: bool,
    /// Steps to do, at most.
    steps: u32,
    /// Steps between two checks of what a step changes.
    every: Option<u32>,
    /// Bytes of one layer.
    layer_bytes: u64,
    /// Bytes of the largest buffer that a slab may take.
    buffer_bytes: u64,
    /// Slabs and halos begin at multiples of so many layers.
    align: u32,
    /// Steps that the kernel likes best to take at once, or a multiple of them.
    unit: u32,
}

/// What is asked for instead of what would be chosen.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Wishes {
    /// The most layers of a slab.
    pub height: Option<u32>,
    /// Steps of a pass.
    pub depth: Option<u32>,
}

impl Wishes {
    /// The most layers of a slab, and the steps of a pass.
    pub const fn new(height: Option<u32>, depth: Option<u32>) -> Self {
        Wishes { height, depth }
    }
}

/// A run, cut into passes over the file and each pass into slabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    layers: u32,
    ring: bool,
    steps: u32,
    /// Steps between two checks; all of them without.
    every: u32,
    checks: bool,
    align: u32,
    slabs: u32,
    depth: u32,
}

impl Plan {
    /// Chooses slabs and the depth of passes.
    ///
    /// A pass takes as many steps as a quarter of the layers that a buffer holds, at most 256: then at least half of what is read and computed
    /// is the slab's own. It takes fewer where a check is due, or where they would keep a slow GPU busy too long.
    ///
    /// # Errors
    ///
    /// Slabs and halos do not fit, or are lower than their halos.
    pub fn new(bounds: Bounds, wishes: Wishes) -> Result<Self, StreamError> {
        let room = bounds.room();
        let most = bounds.most_depth();
        let chosen = match (wishes.height, wishes.depth) {
            (Some(height), Some(depth)) => bounds.plan(bounds.slabs(height), depth),
            (Some(height), None) => {
                let plan = bounds.plan(bounds.slabs(height), 1);
                let left = u64::from(room).saturating_sub(u64::from(plan.largest())) / 2;
                let depth = left.min(u64::from(plan.smallest() / 2)) as u32;
                bounds.plan(plan.slabs, bounds.even_depth(depth.clamp(1, most)))
            }
            (None, Some(depth)) => bounds.highest(depth),
            (None, None) => {
                let plan = bounds.highest(bounds.even_depth((room / 4).clamp(1, most)));
                // Equal slabs may be lower than what there is room for.
                let depth = if plan.is_cut() { plan.depth.min(plan.smallest()) } else { plan.depth };
                Plan { depth, ..plan }
            }
        };
        chosen.checked(bounds)
    }

    /// Checks that every slab fits a buffer, and that halos come from the neighbours alone.
    pub(super) fn checked(self, bounds: Bounds) -> Result<Self, StreamError> {
        let (height, depth) = (self.largest(), self.depth);
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

    /// Layers of the highest slab.
    pub fn largest(&self) -> u32 {
        let units = self.layers / self.align;
        (units.div_ceil(self.slabs) * self.align + self.layers % self.align).min(self.layers)
    }

    /// Layers of the lowest one.
    fn smallest(&self) -> u32 {
        if self.slabs == 1 { self.layers } else { self.layers / self.align / self.slabs * self.align }
    }

    /// Steps of a pass, but for the last one.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// How many slabs the grid has.
    pub fn slabs(&self) -> u32 {
        self.slabs
    }

    /// Whether a slab has neighbours.
    fn is_cut(&self) -> bool {
        self.slabs > 1 || self.ring
    }

    /// Passes from one check to the next.
    fn passes_of_a_check(&self) -> u32 {
        self.every.div_ceil(self.depth)
    }

    /// How many passes there are, at most. One copies the grid if there are no steps.
    pub fn passes(&self) -> u32 {
        let rest = self.steps % self.every;
        (self.steps / self.every * self.passes_of_a_check() + rest.div_ceil(self.depth)).max(1)
    }

    /// Steps of a pass.
    pub fn steps(&self, pass: u32) -> u32 {
        self.steps_before(pass + 1) - self.steps_before(pass)
    }

    /// Steps of all passes.
    pub fn all_steps(&self) -> u32 {
        self.steps
    }

    /// Steps of all passes before one.
    pub fn steps_before(&self, pass: u32) -> u32 {
        let (checks, pass) = (pass / self.passes_of_a_check(), pass % self.passes_of_a_check());
        let since = (u64::from(pass) * u64::from(self.depth)).min(self.every.into());
        (u64::from(checks) * u64::from(self.every) + since).min(self.steps.into()) as u32
    }

    /// Whether a check follows a pass: it is due, or the pass is the last one.
    pub fn is_checked(&self, pass: u32) -> bool {
        let done = self.steps_before(pass + 1);
        self.checks && done > 0 && (done.is_multiple_of(self.every) || done == self.steps)
    }

    /// A slab's own layers.
    pub fn own(&self, slab: u32) -> Range<u32> {
        let units = u64::from(self.layers / self.align);
        let start = |slab: u32| (units * u64::from(slab) / u64::from(self.slabs)) as u32 * self.align;
        start(slab)..if slab + 1 == self.slabs { self.layers } else { start(slab + 1) }
    }

    /// Layers of a halo: one for each step of a pass, and what alignment adds.
    pub fn halo_layers(&self) -> u32 {
        self.depth.next_multiple_of(self.align)
    }

    /// The runs of layers of the grid that a slab holds, in the order of its buffer, from what it holds of a grid that goes on beyond its
    /// sides: in a ring the last layers come before the first.
    pub fn pieces(&self, held: Range<i64>) -> Vec<Range<u32>> {
        let layers = i64::from(self.layers);
        let mut at = held.start;
        let mut pieces = Vec::new();
        while at < held.end {
            let start = at.rem_euclid(layers);
            let count = (held.end - at).min(layers - start);
            pieces.push(start as u32..(start + count) as u32);
            at += count;
        }
        pieces
    }
}

impl Bounds {
    /// A grid, the most steps, and the bytes that all buffers of a run may take on a device of these limits.
    pub fn new(config: &Config, steps: u32, memory: u64, limits: &Limits) -> Self {
        let (layers, border) = match config.stencil.dims {
            Dims::Two => (config.grid.rows, config.borders.north),
            _ => (config.grid.planes, config.borders.near),
        };
        let layer_bytes = config.bytes() / u64::from(layers);
        let largest = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
        Bounds {
            layers,
            ring: border == Border::Periodic,
            steps,
            every: None,
            layer_bytes,
            buffer_bytes: largest.min(memory / buffers(config.rhs)),
            // Copies on the GPU are of whole words.
            align: if layer_bytes.is_multiple_of(COPY_BUFFER_ALIGNMENT) { 1 } else { 2 },
            unit: config.steps_per_pass(),
        }
    }

    /// The same for a run that checks what steps change.
    pub fn with_until(self, until: &Until) -> Self {
        Bounds { every: Some(until.every), ..self }
    }

    /// Layers that a buffer holds.
    fn room(&self) -> u32 {
        u32::try_from(self.buffer_bytes / self.layer_bytes).unwrap_or(u32::MAX)
    }

    /// The most steps of a pass that are chosen.
    fn most_depth(&self) -> u32 {
        let brief = (SUBMISSION / self.buffer_bytes.max(1)).clamp(1, DEEPEST.into()) as u32;
        self.every.unwrap_or(self.steps).min(self.steps).clamp(1, brief)
    }

    pub(super) fn plan(&self, slabs: u32, depth: u32) -> Plan {
        let Bounds { layers, ring, steps, every, align, .. } = *self;
        let period = every.unwrap_or(steps).max(1);
        let depth = depth.min(steps).min(period).max(1);
        Plan { layers, ring, steps, every: period, checks: every.is_some(), align, slabs, depth }
    }

    /// The fewest slabs of this depth that fit.
    fn highest(&self, depth: u32) -> Plan {
        let whole = self.plan(1, depth);
        if whole.most_held() <= u64::from(self.room()) {
            return whole;
        }
        self.plan(self.slabs(self.room().saturating_sub(whole.halo_layers().saturating_mul(2))), depth)
    }

    /// How many slabs there are if none has more than `most` layers.
    pub fn slabs(&self, most: u32) -> u32 {
        if most >= self.layers {
            return 1;
        }
        let units = self.layers / self.align;
        let of_each = most.saturating_sub(self.layers % self.align) / self.align;
        units.div_ceil(of_each.max(1)).max(1)
    }

    /// A depth that makes passes equal, and those of the kernel full where there is room for that; `most` at most.
    fn even_depth(&self, most: u32) -> u32 {
        let steps = self.every.unwrap_or(self.steps).max(1);
        let even = steps.div_ceil(steps.div_ceil(most));
        let unit = self.unit.max(1);
        let full = [even.next_multiple_of(unit), even / unit * unit];
        full.into_iter().find(|depth| (1..=most).contains(depth)).unwrap_or(even)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::stream) fn bounds(layers: u32, ring: bool, steps: u32, room: u64) -> Bounds {
        Bounds {
            layers,
            ring,
            steps,
            every: None,
            layer_bytes: 10,
            buffer_bytes: 10 * room + 9,
            align: 1,
            unit: 1,
        }
    }

    #[test]
    fn every_layer_is_owned_once() {
        for layers in 2..70 {
            for align in [1, 2] {
                for height in 1..40 {
                    let bounds = Bounds { align, ..bounds(layers, true, 1, 1000) };
                    let Ok(plan) = Plan::new(bounds, Wishes { height: Some(height), depth: Some(1) }) else {
                        continue;
                    };
                    let mut owned = 0;
                    for slab in 0..plan.slabs() {
                        let own = plan.own(slab);
                        assert!(own.start == owned && own.start.is_multiple_of(align), "{plan:?}");
                        let count = own.len() as u32;
                        assert!((plan.smallest()..=plan.largest()).contains(&count), "{plan:?} {own:?}");
                        assert!(count <= height.max(2 * align), "{plan:?} {own:?} of {height}");
                        owned = own.end;
                    }
                    assert_eq!(owned, layers);
                }
            }
        }
    }

    #[test]
    fn pieces_go_round_a_ring() {
        let plan = bounds(10, true, 5, 100).plan(2, 4);
        assert_eq!(plan.pieces(-3..5), [7..10, 0..5]);
        assert_eq!(plan.pieces(5..13), [5..10, 0..3]);
        assert_eq!(plan.pieces(-2..12), [8..10, 0..10, 0..2]);
    }

    #[test]
    fn passes_make_all_steps_and_end_where_checks_are_due() {
        for steps in 0..60 {
            for depth in 1..20 {
                for every in [None, Some(1), Some(7), Some(100)] {
                    let plan = Bounds { every, ..bounds(100, false, steps, 1000) }.plan(10, depth);
                    let all: Vec<_> = (0..plan.passes()).map(|pass| plan.steps(pass)).collect();
                    assert_eq!((all.iter().sum::<u32>(), plan.steps_before(plan.passes())), (steps, steps));
                    assert!(steps == 0 || all.iter().all(|steps| (1..=depth).contains(steps)), "{all:?}");
                    let due = |every: u32| steps / every + u32::from(!steps.is_multiple_of(every));
                    let checked = (0..plan.passes()).filter(|pass| plan.is_checked(*pass)).count();
                    assert_eq!(checked as u32, every.map_or(0, due), "{plan:?}");
                }
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
                assert!(plan.most_held() <= 3 * u64::from(plan.smallest()), "{plan:?} in {room}");
                for height in 1..room.saturating_sub(1) as u32 {
                    let plan = Plan::new(bounds, Wishes { height: Some(height), depth: None }).unwrap();
                    assert!(plan.largest() <= height && plan.most_held() <= room, "{height} in {room}");
                }
            }
        }
        // Equal slabs and passes.
        let plan = Plan::new(bounds(1000, false, 30, 80), Wishes::default()).unwrap();
        assert_eq!((plan.depth(), plan.passes(), plan.largest(), plan.slabs()), (15, 2, 50, 20));
        for (unit, depth) in [(3, 18), (4, 20), (7, 14), (8, 16), (24, 20)] {
            let bounds = Bounds { unit, ..bounds(1000, false, 1000, 80) };
            assert_eq!(Plan::new(bounds, Wishes::default()).unwrap().depth(), depth, "{unit}");
        }
        // A grid that fits is one slab, without a halo if it is no ring.
        let plan = |ring| Plan::new(bounds(80, ring, 30, 80), Wishes::default()).unwrap();
        assert_eq!((plan(false).slabs(), plan(false).most_held(), plan(true).slabs()), (1, 80, 2));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refused = |room, height, depth| {
            let wishes = Wishes { height, depth };
            matches!(Plan::new(bounds(1000, false, 50, room), wishes), Err(StreamError::Room { .. }))
        };
        assert!(refused(2, None, None) && refused(0, None, None) && !refused(3, None, None));
        assert!(refused(22, Some(21), None) && !refused(22, Some(20), None));
        assert!(refused(22, Some(20), Some(2)) && !refused(22, Some(20), Some(1)));
        let thin = Plan::new(bounds(1000, false, 50, 100), Wishes { height: Some(10), depth: Some(11) });
        assert!(matches!(thin, Err(StreamError::Thin { height: 10, depth: 11 })));
        let thin = Plan::new(bounds(1000, false, 50, 20), Wishes { height: None, depth: Some(9) });
        assert!(matches!(thin, Err(StreamError::Thin { .. })));
    }
}
