//! Cutting a grid that is larger than one binding into windows. Pure arithmetic.
//!
//! A window is a slab of layers: rows of a 2D grid, planes of a 3D one. The kernels know nothing of it. To them it is a
//! grid, and a side where it was cut is a fixed one, whose outermost layer is read and never written: just what a halo
//! is. So neighbouring windows have two layers in common, and each computes one of them.
//!
//! ```text
//!     layer      0   1   2   3   4   5   6   7   8   9
//!     window 0   #   #   #   #   #   o                    #: its own, computed (at a fixed side of the grid: kept)
//!     window 1                   o   #   #   #   #   #    o: of the neighbour, read
//! ```
//!
//! Where the grid is a ring in the direction of the cut, the first layer and the last have their neighbours in
//! different windows. They are stepped in a small grid of four layers, the [`Halo`].

use std::ops::Range;

use crate::stencil::plan::Params;

/// A part of the grid in one binding, and the dispatch that steps it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Window {
    /// Where it starts, in bytes from the grid's start: a multiple of `min_storage_buffer_offset_alignment`.
    pub offset: u64,
    /// Its length in bytes.
    pub size: u64,
    /// The cells that are this window's own, counted from its start. Every cell is some window's own once.
    pub own: Range<u32>,
    /// What the kernel is given.
    pub params: Params,
    /// Workgroups in x and y.
    pub workgroups: [u32; 2],
}

/// The halo exchange of a ring that was cut: its last two layers and its first two, side by side in buffers of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Halo {
    /// Cells of one layer.
    pub layer: u32,
    /// Where the binding with the last two layers starts, in bytes from the grid's start.
    pub tail: u64,
    /// Cells from there to the last layer but one.
    pub skip: u32,
    /// What the kernel that steps the four layers is given.
    pub params: Params,
    /// Its workgroups in x and y.
    pub workgroups: [u32; 2],
    /// Whether the right-hand side's layers are fetched, too.
    pub rhs: bool,
}

/// How a grid may be cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// How many layers there are.
    pub(super) layers: u32,
    /// The most that one window holds.
    pub(super) most: u32,
    /// A window starts at a multiple of so many layers.
    pub(super) step: u32,
}

impl Cut {
    /// Layers of so many bytes, windows of so many bytes that start at multiples of `alignment`.
    pub(super) fn new(layers: u32, layer_bytes: u64, window_bytes: u64, alignment: u32) -> Self {
        let mut common = (u64::from(alignment), layer_bytes);
        while common.1 > 0 {
            common = (common.1, common.0 % common.1);
        }
        Cut {
            layers,
            most: u32::try_from(window_bytes / layer_bytes).unwrap_or(u32::MAX),
            step: (u64::from(alignment) / common.0) as u32,
        }
    }

    /// Whether one window holds all.
    pub(super) fn is_whole(self) -> bool {
        self.layers <= self.most
    }

    /// The fewest layers that windows must hold for a cut to be possible.
    pub(super) fn least(self, ring: bool) -> u32 {
        (self.step + 2).max(if ring { 4 } else { 3 })
    }

    /// The layers of each window, `most` being [`Cut::least`] at least.
    pub(super) fn windows(self) -> Vec<Range<u32>> {
        let mut windows = Vec::new();
        let mut begin = 0;
        while self.layers - begin > self.most {
            let next = (begin + self.most - 2) / self.step * self.step;
            windows.push(begin..next + 2);
            begin = next;
        }
        windows.push(begin..self.layers);
        windows
    }

    /// The layers of a window that are its own.
    pub(super) fn own(self, window: &Range<u32>) -> Range<u32> {
        window.start + u32::from(window.start > 0)..window.end - u32::from(window.end < self.layers)
    }

    /// The last layer at or before the last but one where a binding may start.
    pub(super) fn tail(self) -> u32 {
        (self.layers - 2) / self.step * self.step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_start_aligned_and_overlap_by_two() {
        for layers in 1..80 {
            for layer_bytes in [4, 6, 36, 64, 100, 256] {
                for window_bytes in (256..3000).step_by(52) {
                    check(Cut::new(layers, layer_bytes, window_bytes, 64), layer_bytes, window_bytes);
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
        assert!(windows.windows(2).all(|pair| pair[0].end == pair[1].start + 2), "{cut:?} {windows:?}");
        if windows.len() > 1 {
            let tail = cut.tail();
            assert!(tail >= 2 && (u64::from(tail) * layer_bytes).is_multiple_of(64), "{cut:?}");
            assert!(u64::from(cut.layers - tail) * layer_bytes <= window_bytes, "{cut:?}");
        }
    }
}
