//! The tuning of a plan, as plain values.

use crate::gpu::limits::power_of_two_workgroup;
use crate::reduce::exact::{EXACT, Format};
use crate::reduce::kernel::{Coverage, Delivery, Kernel, Loads};
use crate::reduce::monoid::Monoid;

/// The choices that affect how fast a kernel runs.
///
/// [`Tuning::of`] returns the values that halofold itself uses. Only the bits of float sums and products
/// depend on the tuning. For a fixed tuning they are the same every time, except with atomic rungs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tuning {
    /// Invocations in a workgroup: a power of two from 1 to 1024.
    pub workgroup_size: u32,
    /// The most workgroups of a fixed grid: see [`Coverage::Grid`].
    pub max_workgroups: u32,
    /// Items in one tile: see [`Coverage::Tiles`]. A power of two.
    pub tile: u32,
    /// The number of partial results that [`Finish::Repeat`](crate::ladder::Finish::Repeat) leaves to the host. With 1 the GPU combines all of them.
    pub leave: u32,
}

/// The number of bytes up to which small workgroups are fastest.
const SHORT: u64 = 0x40_0000;

/// The number of bytes above which the most loads in flight are fastest.
const LARGE: u64 = 0x2000_0000;

impl Tuning {
    /// The tuning that halofold uses for a kernel over `bytes` bytes of input on a device with these limits.
    ///
    /// The tuning of the fast kernels depends on the length. Up to 256 KiB, one workgroup alone is faster
    /// than several that must synchronize. Above that, a few hundred workgroups start soonest. Above half a
    /// gigabyte, the most loads in flight are fastest. The figures are from an NVIDIA H200 (`docs/results/`);
    /// `halofold ladder --workgroup 128,256 --groups 264,396` tries others.
    pub fn of(kernel: &Kernel, limits: &wgpu::Limits, bytes: u64) -> Self {
        Tuning::with_format(kernel, Format::Single, limits, bytes)
    }

    /// The same for an operator, as a reducer uses it: exact sums of pairs and of 64-bit floats have tunings of their own.
    pub fn for_operator(kernel: &Kernel, monoid: &Monoid, limits: &wgpu::Limits, bytes: u64) -> Self {
        let format = monoid.exact().and_then(|exact| exact.format());
        Tuning::with_format(kernel, format.unwrap_or(Format::Single), limits, bytes)
    }

    fn with_format(kernel: &Kernel, format: Format, limits: &wgpu::Limits, bytes: u64) -> Self {
        let usual = Tuning { workgroup_size: 256, max_workgroups: 1024, tile: 512, leave: 1 };
        let (workgroup_size, max_workgroups) = match (kernel.loads, kernel.coverage) {
            _ if *kernel == EXACT => exact(format, bytes, limits),
            (Loads::Vectors, Coverage::Grid(_)) => fast(kernel.delivery, bytes),
            (_, Coverage::Tiles(_)) => (128, usual.max_workgroups),
            _ => (usual.workgroup_size, usual.max_workgroups),
        };
        let workgroup_size = power_of_two_workgroup(workgroup_size, limits);
        Tuning { max_workgroups, ..usual }.with_workgroup_size(workgroup_size)
    }

    /// Returns this tuning with another workgroup size, and a tile size that fits it.
    pub fn with_workgroup_size(self, workgroup_size: u32) -> Self {
        Tuning {
            workgroup_size,
            tile: self.tile.clamp(workgroup_size, workgroup_size.max(1).saturating_mul(16)),
            ..self
        }
    }
}

/// Workgroup size and workgroups of the kernels that load vectors.
fn fast(delivery: Delivery, bytes: u64) -> (u32, u32) {
    match (bytes, delivery) {
        // One vector per invocation, up to 256 invocations.
        (0..=0x4000, _) => ((bytes as u32 / 16).next_power_of_two().clamp(64, 256), 1),
        // Workgroups that need not synchronize pay off from fewer elements on.
        (0x4001..=0x4_0000, Delivery::Collected | Delivery::Output) => (1024, 1),
        (0x4001..=SHORT, _) => (256, 396),
        (..=LARGE, _) => (512, 396),
        _ => (512, 1056),
    }
}

/// The same of exact sums. Few workgroups are few windows to collect, and small ones have shorter reductions, which is most of
/// the time of short inputs. For long inputs of 32-bit floats several small workgroups to a core are faster than a large one, and for those
/// of 64-bit floats one of 1024; invocations that add pairs take too many registers for either.
fn exact(format: Format, bytes: u64, limits: &wgpu::Limits) -> (u32, u32) {
    // The accumulators of a workgroup are in its memory, of 20 bytes each, beside limbs and bins.
    let largest = match limits.max_compute_workgroup_storage_size {
        0x6000.. => 1024,
        0x3400.. => 512,
        _ => 256,
    };
    let largest = largest.min(limits.max_compute_invocations_per_workgroup);
    match (bytes, format) {
        (..=0x4000, _) => (256, 1),
        (..=0x1_0000, _) if largest >= 512 => (512, 1),
        (..=SHORT, _) => (256, 132),
        (0x800_0000.., Format::Single) => (256, 396),
        (LARGE.., Format::Double) if largest >= 1024 => (1024, 132),
        (_, _) if largest >= 512 => (512, 132),
        _ => (256, 396),
    }
}

#[cfg(all(test, feature = "ladder"))]
mod tests {
    use super::*;
    use crate::ladder::RUNGS;

    #[test]
    fn fits_the_default_limits() {
        let limits = wgpu::Limits::default();
        for rung in RUNGS {
            let tuning = Tuning::of(rung.kernel, &limits, 1 << 22);
            assert!(
                tuning.workgroup_size <= 256 && tuning.workgroup_size.is_power_of_two(),
                "{}",
                rung.name()
            );
            assert!(tuning.tile >= tuning.workgroup_size);
        }
    }

    #[test]
    fn the_tile_follows_the_workgroup() {
        let tuning = Tuning::of(RUNGS[0].kernel, &wgpu::Limits::default(), 0);
        assert_eq!(tuning.with_workgroup_size(1024).tile, 1024);
        assert_eq!(tuning.with_workgroup_size(16).tile, 256);
    }
}
