//! Cutting a grid that is larger than one binding into windows. Pure arithmetic.
//!
//! A window is a slab of layers: rows of a 2D grid, planes of a 3D grid. A kernel of single steps knows nothing of windows.
//! For this kernel a window is a grid, and a cut side is a fixed border: of a stencil that reaches R cells, the R outermost layers
//! are read and never written. They are the halo. A window holds as many layers as fit a binding, and starts where a
//! binding may. So neighbours share 2 R layers if every layer is aligned, and else a few more. Both write the layers
//! between their halos, with the same values. Windows that may start at even layers, for R = 1:
//!
//! ```text
//!     layer      0   1   2   3   4   5   6   7   8   9
//!     window 0   #   #   #   #   #   #   o                #: written (kept at a fixed side of the grid)
//!     window 1                   o   #   #   #   #   #    o: halo, only read
//! ```
//!
//! If the grid is periodic in the direction of the cut, it is a ring: the first and the last layer have
//! neighbours in different windows. These two layers are stepped in a small grid of four layers, the
//! [halo](crate::stencil::halo): R layers at each end, in a grid of 4 R, for a stencil of radius R.
//!
//! A pass of a time-blocked kernel depends on as many layers as its steps reach: they take the place of R. For such a kernel a cut
//! is no side of the grid, and its parameters say which layers of a window to write.

use std::ops::Range;

/// The constraints on cutting a grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The number of layers.
    pub(super) layers: u32,
    /// The most layers that one window holds.
    pub(super) most: u32,
    /// Windows start at multiples of this number of layers.
    step: u32,
    /// The layers that a new one depends on, on either side.
    pub(super) reach: u32,
}

/// The layers of a window, and those among them that it writes.
#[derive(Debug, PartialEq)]
pub(super) struct Layers {
    pub(super) held: Range<u32>,
    pub(super) written: Range<u32>,
}

impl Cut {
    /// A cut into windows of at most `window_bytes` bytes that start at multiples of `alignment`.
    pub(super) fn new(layers: u32, layer_bytes: u64, window_bytes: u64, alignment: u32, reach: u32) -> Self {
        Cut {
            layers,
            most: u32::try_from(window_bytes / layer_bytes).unwrap_or(u32::MAX),
            // The alignment is a power of two.
            step: alignment >> layer_bytes.trailing_zeros().min(alignment.trailing_zeros()),
            reach,
        }
    }

    /// Returns true if one window holds all layers.
    pub(super) fn is_whole(self) -> bool {
        self.layers <= self.most
    }

    /// The fewest layers that windows must hold for a cut to be possible. The two ends of a ring are apart then.
    pub(super) fn least(self, ring: bool) -> u32 {
        if ring { 4 * self.reach + self.step - 1 } else { 2 * self.reach + self.step }
    }

    /// Returns true if windows hold enough layers.
    pub(super) fn fits(self, ring: bool) -> bool {
        self.is_whole() || self.most >= self.least(ring)
    }

    /// The windows that write the layers `computed`, one at least, in a cut that [fits](Cut::fits).
    pub(super) fn windows(self, computed: Range<u32>) -> Vec<Layers> {
        let mut windows = Vec::new();
        let mut begin = computed.start;
        loop {
            let first = begin.saturating_sub(self.reach) / self.step * self.step;
            let last = computed.end.saturating_add(self.reach).min(first.saturating_add(self.most));
            let last = last.min(self.layers);
            let end = if last == self.layers { computed.end } else { last - self.reach };
            windows.push(Layers { held: first..last, written: begin..end });
            if end >= computed.end {
                return windows;
            }
            begin = end;
        }
    }

    /// The last layer at which a binding may start that holds the last layers of a halo.
    pub(super) fn tail(self) -> u32 {
        (self.layers - 2 * self.reach) / self.step * self.step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_is_written_once_and_has_its_neighbours() {
        for layers in 1..90 {
            for layer_bytes in [4, 6, 36, 64, 100, 256] {
                for window_bytes in (256..4000).step_by(52) {
                    for reach in [1, 2, 3, 4, 7] {
                        let cut = Cut::new(layers, layer_bytes, window_bytes, 64, reach);
                        for computed in [0..layers, reach..layers.saturating_sub(reach), layers / 3..layers] {
                            check(cut, layer_bytes, window_bytes, computed);
                        }
                    }
                }
            }
        }
    }

    fn check(cut: Cut, layer_bytes: u64, window_bytes: u64, computed: Range<u32>) {
        if computed.is_empty() || !cut.fits(false) {
            return;
        }
        let windows = cut.windows(computed.clone());
        if computed.start <= cut.reach && computed.end + cut.reach >= cut.layers {
            assert_eq!(windows.len() == 1, cut.is_whole(), "{cut:?} {windows:?}");
        }
        for pair in windows.windows(2) {
            assert_eq!(pair[0].held.len(), cut.most as usize, "{cut:?} {windows:?}");
            let shared = pair[0].held.end - pair[1].held.start;
            // Neighbours of aligned layers share twice the reach, others up to a step more.
            assert!((2 * cut.reach..2 * cut.reach + cut.step).contains(&shared), "{cut:?} {windows:?}");
        }
        let mut behind = computed.start;
        for Layers { held, written } in windows {
            assert!(written.start == behind && !written.is_empty(), "{cut:?} {written:?}");
            assert!((u64::from(held.start) * layer_bytes).is_multiple_of(64), "{cut:?} {held:?}");
            assert!(held.len() as u64 * layer_bytes <= window_bytes, "{cut:?} {held:?}");
            assert!(
                held.start == 0 || held.start + cut.reach <= written.start,
                "{cut:?} {held:?} {written:?}"
            );
            let is_last = held.end == cut.layers;
            assert!(is_last || written.end + cut.reach <= held.end, "{cut:?} {held:?} {written:?}");
            behind = written.end;
        }
        assert_eq!(behind, computed.end);
        if !cut.is_whole() && cut.fits(true) {
            let tail = cut.tail();
            assert!(tail >= 2 * cut.reach && (u64::from(tail) * layer_bytes).is_multiple_of(64), "{cut:?}");
            assert!(u64::from(cut.layers - tail) * layer_bytes <= window_bytes, "{cut:?}");
        }
    }
}
