//! Cutting a grid that is larger than one binding into windows. Pure arithmetic.
//!
//! A window is a slab of layers: rows of a 2D grid, planes of a 3D grid. The kernels know nothing of windows.
//! For a kernel a window is a grid, and a cut side is a fixed border, whose outermost layer is read and never
//! written. This layer is the halo. Neighbouring windows therefore share two layers, and each computes one of
//! them. Of a stencil that reaches R cells, R layers are fixed at a cut side, and neighbours share 2 R.
//!
//! ```text
//!     layer      0   1   2   3   4   5   6   7   8   9
//!     window 0   #   #   #   #   #   o                    #: its own, computed (kept at a fixed side of the grid)
//!     window 1                   o   #   #   #   #   #    o: the neighbour's, only read
//! ```
//!
//! If the grid is periodic in the direction of the cut, it is a ring: the first and the last layer have
//! neighbours in different windows. These two layers are stepped in a small grid of four layers, the
//! [`Halo`]: R layers at each end, in a grid of 4 R, for a stencil of radius R.

use std::ops::Range;

use crate::stencil::plan::Params;

/// A part of the grid that fits one binding, and the dispatch that steps it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Window {
    /// Its offset from the grid's start, in bytes: a multiple of `min_storage_buffer_offset_alignment`.
    pub offset: u64,
    /// Its length in bytes.
    pub size: u64,
    /// The cells that belong to this window, counted from its start. Every cell belongs to exactly one
    /// window.
    pub own: Range<u32>,
    /// The parameters of the kernel.
    pub params: Params,
    /// Workgroups in x and y.
    pub workgroups: [u32; 2],
}

/// The halo exchange of a ring that is cut into windows: buffers with its last layers followed by its first ones,
/// twice as many of each as the stencil reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Halo {
    /// Cells of as many layers as the stencil reaches.
    pub(super) layers: u32,
    /// The offset of the binding with the last layers, in bytes from the grid's start.
    pub(super) tail: u64,
    /// Cells from there to the first of them.
    pub(super) skip: u32,
    /// The parameters of the kernel that steps these layers.
    pub(super) params: Params,
    /// Its workgroups in x and y.
    pub(super) workgroups: [u32; 2],
    /// True: the right-hand side's layers are gathered, too.
    pub(super) rhs: bool,
}

/// The constraints on cutting a grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The number of layers.
    pub(super) layers: u32,
    /// The most layers that one window holds.
    pub(super) most: u32,
    /// Windows start at multiples of this number of layers.
    pub(super) step: u32,
    /// The layers that a new one depends on, on either side.
    pub(super) radius: u32,
}

impl Cut {
    /// A cut into windows of at most `window_bytes` bytes that start at multiples of `alignment`.
    pub(super) fn new(layers: u32, layer_bytes: u64, window_bytes: u64, alignment: u32) -> Self {
        let mut common = (u64::from(alignment), layer_bytes);
        while common.1 > 0 {
            common = (common.1, common.0 % common.1);
        }
        Cut {
            layers,
            most: u32::try_from(window_bytes / layer_bytes).unwrap_or(u32::MAX),
            step: (u64::from(alignment) / common.0) as u32,
            radius: 1,
        }
    }

    /// Returns true if one window holds all layers.
    pub(super) fn is_whole(self) -> bool {
        self.layers <= self.most
    }

    /// The fewest layers that windows must hold for a cut to be possible.
    pub(super) fn least(self, ring: bool) -> u32 {
        (self.step + 2 * self.radius).max(if ring { 4 * self.radius } else { 2 * self.radius + 1 })
    }

    /// The layers of each window. `most` must be at least [`Cut::least`].
    pub(super) fn windows(self) -> Vec<Range<u32>> {
        let mut windows = Vec::new();
        let mut begin = 0;
        while self.layers - begin > self.most {
            let next = (begin + self.most - 2 * self.radius) / self.step * self.step;
            windows.push(begin..next + 2 * self.radius);
            begin = next;
        }
        windows.push(begin..self.layers);
        windows
    }

    /// The layers that belong to a window.
    pub(super) fn own(self, window: &Range<u32>) -> Range<u32> {
        let shared = |is_cut: bool| if is_cut { self.radius } else { 0 };
        window.start + shared(window.start > 0)..window.end - shared(window.end < self.layers)
    }

    /// The last layer at which a binding may start that holds the last layers of a halo.
    pub(super) fn tail(self) -> u32 {
        (self.layers - 2 * self.radius) / self.step * self.step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_start_aligned_and_overlap_by_twice_the_radius() {
        for layers in 1..80 {
            for layer_bytes in [4, 6, 36, 64, 100, 256] {
                for window_bytes in (256..3000).step_by(52) {
                    for radius in 1..4 {
                        let cut = Cut::new(layers, layer_bytes, window_bytes, 64);
                        check(Cut { radius, ..cut }, layer_bytes, window_bytes);
                    }
                }
            }
        }
    }

    fn check(cut: Cut, layer_bytes: u64, window_bytes: u64) {
        if !cut.is_whole() && cut.most < cut.least(true) {
            return;
        }
        let windows = cut.windows();
        assert_eq!(windows.len() == 1, cut.is_whole(), "{cut:?}");
        let mut owned = 0;
        for window in &windows {
            assert!((u64::from(window.start) * layer_bytes).is_multiple_of(64), "{cut:?} {windows:?}");
            assert!(window.len() as u64 * layer_bytes <= window_bytes, "{cut:?} {windows:?}");
            let own = cut.own(window);
            assert!(own.start == owned && !own.is_empty(), "{cut:?} {windows:?}");
            owned = own.end;
        }
        assert_eq!(owned, cut.layers);
        assert!(
            windows.windows(2).all(|pair| pair[0].end == pair[1].start + 2 * cut.radius),
            "{cut:?} {windows:?}"
        );
        if windows.len() > 1 {
            let tail = cut.tail();
            assert!(tail >= 2 * cut.radius && (u64::from(tail) * layer_bytes).is_multiple_of(64), "{cut:?}");
            assert!(u64::from(cut.layers - tail) * layer_bytes <= window_bytes, "{cut:?}");
        }
    }
}
