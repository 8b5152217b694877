//! The knobs of a plan, as a plain value.

use crate::reduce::catalogue::{Coverage, Rung};

/// How a rung is run: everything about a plan that is a choice and not a consequence.
///
/// [`Tuning::of`] gives the values halofold itself uses. A result's bits depend on the tuning only for float
/// sums and products, and for a fixed tuning they are the same every time (atomic rungs excepted).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tuning {
    /// Invocations in a workgroup: a power of two from 1 to 1024.
    pub workgroup_size: u32,
    /// The most workgroups a fixed grid gets; see [`Coverage::Grid`].
    pub max_workgroups: u32,
    /// Items in one tile; see [`Coverage::Tiles`]. A power of two.
    pub tile: u32,
    /// Whether subgroup operations may be used where they are optional.
    pub subgroups: bool,
    /// How many partial results [`crate::reduce::Finish::Repeat`] leaves to the host; 1 for none.
    pub leave: u32,
}

impl Tuning {
    /// What halofold uses for a rung over `len` elements on a device with these limits.
    ///
    /// The two fast rungs go by length. Up to 2^16 elements one workgroup alone is quicker than several that have to
    /// meet; up to 2^24 many small workgroups start soonest; beyond, larger ones keep the most loads in flight.
    /// The figures are an NVIDIA H200's (`docs/results/`); `measure/examples/tune.rs` finds those of another GPU.
    pub fn of(rung: &Rung, limits: &wgpu::Limits, len: u64) -> Self {
        let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
        let usual =
            Tuning { workgroup_size: 256, max_workgroups: 1024, tile: 512, subgroups: true, leave: 1 };
        let (workgroup_size, max_workgroups) = match rung.coverage {
            Coverage::Grid(16) => match len {
                // One vector an invocation, as far as that goes.
                0..=4096 => ((len as u32 / 4).next_power_of_two().clamp(64, 256), 1),
                4097..=65_536 => (1024, 1),
                65_537..=16_777_216 => (256, 396),
                _ => (512, 1056),
            },
            Coverage::Tiles(_) => (128, usual.max_workgroups),
            _ => (usual.workgroup_size, usual.max_workgroups),
        };
        let workgroup_size = workgroup_size.min(largest_power_of_two(most));
        Tuning { workgroup_size, max_workgroups, ..usual }
    }

    /// The same with another workgroup size, and a tile that goes with it.
    pub fn with_workgroup_size(self, workgroup_size: u32) -> Self {
        Tuning {
            workgroup_size,
            tile: self.tile.clamp(workgroup_size, workgroup_size.max(1).saturating_mul(16)),
            ..self
        }
    }
}

/// The largest power of two that is no larger than `x`; 1 for 0.
fn largest_power_of_two(x: u32) -> u32 {
    1 << x.max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::RUNGS;

    #[test]
    fn fits_the_default_limits() {
        let limits = wgpu::Limits::default();
        for rung in RUNGS {
            let tuning = Tuning::of(rung, &limits, 1 << 20);
            assert!(tuning.workgroup_size <= 256 && tuning.workgroup_size.is_power_of_two(), "{}", rung.name);
            assert!(tuning.tile >= tuning.workgroup_size);
        }
    }

    #[test]
    fn the_tile_follows_the_workgroup() {
        let tuning = Tuning::of(&RUNGS[0], &wgpu::Limits::default(), 0);
        assert_eq!(tuning.with_workgroup_size(1024).tile, 1024);
        assert_eq!(tuning.with_workgroup_size(16).tile, 256);
    }
}
