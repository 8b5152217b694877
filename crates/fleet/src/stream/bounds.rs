//! Chooses slabs and passes for a grid and the memory that it may take. Pure.

use halofold::stencil::{Config, Until};
use halofold::wgpu::Limits;

use super::{Schedule, StreamError};
use crate::depth::SUBMISSION;
use crate::split::unit_of_layers;
use crate::stepping::Rounds;

/// The most steps of a pass that are chosen on a GPU of unknown speed, if they go over no more than a submission: a deeper pass saves few passes
/// over the file, and it has more layers to compute that are not its own. A slow GPU would take long for one slab.
const DEEPEST: u32 = 256;

/// The bytes a second at which files are taken to be written, which few disks exceed. A GPU of known speed may make as many steps of a slab
/// as it takes to write it so fast: they cost no time.
const WRITING: f64 = 1e9;

/// The most steps of a pass: each is a command that waits in memory until all are submitted.
pub(super) const MOST_STEPS: u32 = 1 << 14;

/// The copies of a slab that a run holds: two grids, two on their way to the GPU, two on their way back.
const COPIES: u64 = 6;

/// The same of a right-hand side: one on the GPU and two on their way to it.
const COPIES_OF_RHS: u64 = 3;

/// The most bytes of a check, which come back with a slab: see [`halofold::stencil::slab::Change`].
pub(super) const CHECK_BYTES: u64 = 4096;

/// The number of buffers of a slab's size that a run needs.
pub(super) fn buffers(rhs: bool) -> u64 {
    COPIES + if rhs { COPIES_OF_RHS } else { 0 }
}

/// The grid, and the memory that its buffers may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Layers of the grid.
    pub(super) layers: u32,
    /// True if the first layer is a neighbour of the last one.
    pub(super) ring: bool,
    /// Steps to do, at most, and the condition to stop before. [`Schedule::new`] chooses how deep passes are.
    pub(super) rounds: Rounds,
    /// Bytes of one layer.
    pub(super) layer_bytes: u64,
    /// Bytes of the largest buffer that a slab may take.
    pub(super) buffer_bytes: u64,
    /// Slabs and halos begin at multiples of this many layers.
    pub(super) align: u32,
    /// Layers that a step reaches.
    pub(super) radius: u32,
    /// Steps that the kernel likes best to take at once, or a multiple of them.
    pub(super) unit: u32,
    /// The steps of a layer that take as long as to write it, if that is known.
    pub(super) while_written: u32,
}

/// Sizes of a stream. Start with [`SlabSizes::default`], which leaves the choice to the library.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SlabSizes {
    /// The most layers of a slab.
    pub height: Option<u32>,
    /// Steps of a pass.
    pub depth: Option<u32>,
}

impl SlabSizes {
    /// Returns these sizes with the most layers of a slab.
    pub const fn with_height(self, height: u32) -> Self {
        SlabSizes { height: Some(height), ..self }
    }

    /// Returns these sizes with the steps of a pass.
    pub const fn with_depth(self, depth: u32) -> Self {
        SlabSizes { depth: Some(depth), ..self }
    }
}

impl Schedule {
    /// Chooses slabs and the depth of passes.
    ///
    /// A pass takes as many steps as reach a quarter of the layers that a buffer holds: then at least half of what is read and computed
    /// is the slab's own. It takes fewer where a check is due, or where the GPU is not known to make them faster than a disk writes:
    /// see [`Bounds::with_speed`].
    ///
    /// # Errors
    ///
    /// - The grid has no cells.
    /// - More steps of a pass are asked for than one submission takes.
    /// - Slabs and halos do not fit, or are lower than their halos.
    pub fn new(bounds: Bounds, sizes: SlabSizes) -> Result<Self, StreamError> {
        let room = bounds.room();
        let most = bounds.most_depth();
        let chosen = match (sizes.height, sizes.depth) {
            (Some(height), Some(depth)) => bounds.schedule(bounds.slabs(height), depth),
            (Some(height), None) => {
                let schedule = bounds.schedule(bounds.slabs(height), 1);
                let left = u64::from(room).saturating_sub(u64::from(schedule.largest())) / 2;
                let depth = left.min(u64::from(schedule.smallest() / 2)) as u32 / bounds.radius;
                bounds.schedule(schedule.slabs, bounds.even_depth(depth.clamp(1, most)))
            }
            (None, Some(depth)) => bounds.highest(depth),
            (None, None) => {
                let schedule = bounds.highest(bounds.even_depth((room / 4 / bounds.radius).clamp(1, most)));
                // Equal slabs may be lower than the memory allows.
                let depth = if schedule.is_cut() {
                    schedule.depth().min(schedule.smallest() / bounds.radius)
                } else {
                    schedule.depth()
                };
                bounds.schedule(schedule.slabs, depth)
            }
        };
        chosen.checked(bounds)
    }
}

impl Bounds {
    /// A grid, the most steps, and the bytes that all buffers of a run may take on a device of these limits.
    pub fn new(config: &Config, steps: u32, memory: u64, limits: &Limits) -> Self {
        let layer_bytes = config.layer_bytes();
        // The downloaded buffer has a check behind the slab.
        let largest = limits.max_buffer_size.saturating_sub(CHECK_BYTES);
        let largest = largest.min(limits.max_storage_buffer_binding_size);
        Bounds {
            layers: config.layers(),
            ring: config.is_ring(),
            rounds: Rounds { depth: 1, end: steps, until: None },
            layer_bytes,
            buffer_bytes: largest.min(memory / buffers(config.rhs)),
            align: unit_of_layers(config),
            radius: config.stencil.radius(),
            unit: config.steps_per_pass(),
            while_written: 0,
        }
    }

    /// The same for a GPU that takes so many seconds for a step of a layer: see [`layer_seconds`](super::layer_seconds). A fast one makes deeper
    /// passes.
    pub fn with_speed(self, seconds: f64) -> Self {
        Bounds { while_written: (self.layer_bytes as f64 / WRITING / seconds) as u32, ..self }
    }

    /// The same for a run that ends once a step changes little.
    pub fn with_until(self, until: Until) -> Self {
        Bounds { rounds: Rounds { until: Some(until), ..self.rounds }, ..self }
    }

    /// Layers that a buffer holds.
    pub(super) fn room(&self) -> u32 {
        u32::try_from(self.buffer_bytes / self.layer_bytes.max(1)).unwrap_or(u32::MAX)
    }

    /// The most steps of a pass that are chosen.
    fn most_depth(&self) -> u32 {
        let brief = (SUBMISSION / self.buffer_bytes.max(1)).clamp(1, DEEPEST.into()) as u32;
        let most = self.while_written.clamp(brief, MOST_STEPS);
        self.rounds.period().min(self.rounds.end).clamp(1, most)
    }

    pub(super) fn schedule(&self, slabs: u32, depth: u32) -> Schedule {
        let Bounds { layers, ring, rounds, align, radius, .. } = *self;
        let depth = depth.min(rounds.end).min(rounds.period()).max(1);
        Schedule { layers, ring, align, radius, slabs, rounds: Rounds { depth, ..rounds } }
    }

    /// The fewest slabs of this depth that fit.
    fn highest(&self, depth: u32) -> Schedule {
        let whole = self.schedule(1, depth);
        if whole.most_held() <= u64::from(self.room()) {
            return whole;
        }
        self.schedule(self.slabs(self.room().saturating_sub(whole.halo_layers().saturating_mul(2))), depth)
    }

    /// The number of slabs if none has more than `most` layers.
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
        let steps = self.rounds.period();
        let even = steps.div_ceil(steps.div_ceil(most));
        let unit = self.unit.max(1);
        let full = [even.next_multiple_of(unit), even / unit * unit];
        full.into_iter().find(|depth| (1..=most).contains(depth)).unwrap_or(even)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use halofold::Element;
    use halofold::stencil::{FIVE_POINT, Grid};

    use super::*;

    pub(in crate::stream) fn bounds(layers: u32, ring: bool, steps: u32, room: u64) -> Bounds {
        Bounds {
            layers,
            ring,
            rounds: Rounds { depth: 1, end: steps, until: None },
            layer_bytes: 10,
            buffer_bytes: 10 * room + 9,
            align: 1,
            radius: 1,
            unit: 1,
            while_written: 0,
        }
    }

    #[test]
    fn chosen_slabs_fit_and_at_least_half_of_their_layers_are_their_own() {
        for room in 3..300 {
            for (steps, ring) in [(0, false), (1, true), (7, false), (1000, true)] {
                let bounds = bounds(1000, ring, steps, room);
                let schedule = Schedule::new(bounds, SlabSizes::default()).unwrap();
                assert!(schedule.most_held() <= room, "{schedule:?} in {room}");
                assert!(schedule.most_held() <= 3 * u64::from(schedule.smallest()), "{schedule:?} in {room}");
                for height in 1..room.saturating_sub(1) as u32 {
                    let schedule =
                        Schedule::new(bounds, SlabSizes { height: Some(height), depth: None }).unwrap();
                    assert!(
                        schedule.largest() <= height && schedule.most_held() <= room,
                        "{height} in {room}"
                    );
                }
            }
        }
        // Equal slabs and passes.
        let schedule = Schedule::new(bounds(1000, false, 30, 80), SlabSizes::default()).unwrap();
        assert_eq!(
            (schedule.depth(), schedule.passes(), schedule.largest(), schedule.slabs()),
            (15, 2, 50, 20)
        );
        for (unit, depth) in [(3, 18), (4, 20), (7, 14), (8, 16), (24, 20)] {
            let bounds = Bounds { unit, ..bounds(1000, false, 1000, 80) };
            assert_eq!(Schedule::new(bounds, SlabSizes::default()).unwrap().depth(), depth, "{unit}");
        }
        // A grid that fits is one slab, without a halo if it is no ring.
        let schedule = |ring| Schedule::new(bounds(80, ring, 30, 80), SlabSizes::default()).unwrap();
        assert_eq!(
            (schedule(false).slabs(), schedule(false).most_held(), schedule(true).slabs()),
            (1, 80, 2)
        );
    }

    #[test]
    fn downloads_fit_the_largest_buffer() {
        let config = Config::fastest(&FIVE_POINT, Element::F32, Grid::plane(1 << 20, 1 << 10));
        for max_buffer_size in [1 << 20, 1 << 28, 0] {
            let limits =
                Limits { max_buffer_size, max_storage_buffer_binding_size: 1 << 28, ..Limits::default() };
            let bounds = Bounds::new(&config, 10, u64::MAX, &limits);
            assert!(max_buffer_size == 0 || bounds.buffer_bytes + CHECK_BYTES <= max_buffer_size);
            let schedule = Schedule::new(bounds, SlabSizes::default());
            assert_eq!(schedule.is_ok(), max_buffer_size > 0);
        }
    }

    #[test]
    fn slabs_that_do_not_fit_are_refused() {
        let refused = |room, height, depth| {
            let sizes = SlabSizes { height, depth };
            matches!(Schedule::new(bounds(1000, false, 50, room), sizes), Err(StreamError::Room { .. }))
        };
        assert!(refused(2, None, None) && refused(0, None, None) && !refused(3, None, None));
        assert!(refused(22, Some(21), None) && !refused(22, Some(20), None));
        assert!(refused(22, Some(20), Some(2)) && !refused(22, Some(20), Some(1)));
        let thin =
            Schedule::new(bounds(1000, false, 50, 100), SlabSizes { height: Some(10), depth: Some(11) });
        assert!(matches!(thin, Err(StreamError::Thin { height: 10, depth: 11 })));
        let thin = Schedule::new(bounds(1000, false, 50, 20), SlabSizes { height: None, depth: Some(9) });
        assert!(matches!(thin, Err(StreamError::Thin { .. })));
    }

    #[test]
    fn no_depth_is_too_much_to_be_refused() {
        for (ring, align, layers, height) in
            [(false, 1, 10, None), (true, 1, 10, None), (false, 2, 9, Some(4)), (true, 2, 9, None)]
        {
            let bounds = Bounds { align, ..bounds(layers, ring, u32::MAX, 100) };
            let asked = |depth| Schedule::new(bounds, SlabSizes { height, depth: Some(depth) });
            for depth in [1 << 15, u32::MAX - 1, u32::MAX] {
                let refused = asked(depth);
                assert!(
                    matches!(refused, Err(StreamError::Deep { most: 0x4000, .. })),
                    "{depth} {refused:?}"
                );
            }
            // A pass has no more steps than the run.
            let few = Bounds { rounds: Rounds { end: 2, ..bounds.rounds }, ..bounds };
            assert_eq!(Schedule::new(few, SlabSizes { height, depth: Some(u32::MAX) }).unwrap().depth(), 2);
        }
    }

    #[test]
    fn fast_gpus_make_deep_passes() {
        // Slabs of 1 GiB hold a thousand layers.
        let large = Bounds { layer_bytes: 1 << 20, buffer_bytes: 1 << 30, ..bounds(9999, false, 5000, 0) };
        let depth = |bounds| Schedule::new(bounds, SlabSizes::default()).unwrap().depth();
        // A layer is written in 1049 µs.
        for (seconds, expected) in [(1.0, 64), (30e-6, 64), (10e-6, 103), (1e-6, 250), (0.0, 250)] {
            assert_eq!(depth(large.with_speed(seconds)), expected, "{seconds} s");
        }
        assert_eq!(depth(large), 64);
    }

    #[test]
    fn a_grid_without_cells_is_refused() {
        for grid in [Grid::plane(0, 5), Grid::plane(5, 0), Grid::plane(0, 0)] {
            let config = Config::fastest(&FIVE_POINT, Element::F16, grid);
            for steps in [0, 3] {
                let bounds = Bounds::new(&config, steps, 1 << 30, &Limits::default());
                let schedule = Schedule::new(bounds, SlabSizes::default());
                assert!(matches!(schedule, Err(StreamError::Empty)), "{grid} {schedule:?}");
            }
        }
    }
}
