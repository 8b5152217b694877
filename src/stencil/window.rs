//! Cutting a grid that is larger than one binding into windows. Pure arithmetic.
//!
//! A window is a slab of layers: rows of a 2D grid, planes of a 3D grid. A single-step kernel treats each window as a whole grid and a cut side as a
//! fixed border. It reads the R outermost layers there, the halo, and never writes them. R is the stencil's radius. A window holds at most
//! `max_layers` layers and starts at a multiple of `alignment`. Neighbours share 2 R layers if every layer is aligned, else up to `alignment - 1`
//! more. Both neighbours write each shared layer outside their halos, with equal values. Windows aligned to even layers, for R = 1:
//!
//! ```text
//!     layer      0   1   2   3   4   5   6   7   8   9
//!     window 0   #   #   #   #   #   #   o                #: written, except at a fixed side of the grid
//!     window 1                   o   #   #   #   #   #    o: halo, only read
//! ```
//!
//! If the grid is periodic in the direction of the cut, it is a ring: its first and last R layers are neighbours, and no window holds
//! both. The [halo](crate::stencil::halo) exchange gathers the last 2 R layers and the first 2 R into a grid of 4 R layers.
//! It steps the middle 2 R layers of this grid, and scatters them back.
//!
//! A sweep of a time-blocked kernel reaches R layers for each of its steps; this total replaces R above. A cut side is no border then:
//! the kernel's parameters `begin` and `end` delimit the layers that it writes.

use std::ops::Range;

/// The constraints on cutting a grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The number of layers.
    pub(super) layers: u32,
    /// The most layers that one window holds.
    pub(super) max_layers: u32,
    /// Windows start at multiples of this number of layers.
    alignment: u32,
    /// The layers on either side that a new layer depends on.
    pub(super) reach: u32,
}

/// A window. `written` ranges are disjoint; single-step kernels ignore them, and write `held` except its halos and fixed layers.
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
            max_layers: u32::try_from(window_bytes / layer_bytes).unwrap_or(u32::MAX),
            // `alignment` is a power of two: this divides it by its greatest common divisor with `layer_bytes`.
            alignment: alignment >> layer_bytes.trailing_zeros().min(alignment.trailing_zeros()),
            reach,
        }
    }

    /// Returns true if one window holds all layers.
    pub(super) fn is_whole(self) -> bool {
        self.layers <= self.max_layers
    }

    /// Returns the fewest layers that a window must hold. With this many, the bindings of a ring's two ends do not overlap.
    pub(super) fn min_layers(self, ring: bool) -> u32 {
        if ring { 4 * self.reach + self.alignment - 1 } else { 2 * self.reach + self.alignment }
    }

    /// Returns true if windows hold enough layers.
    pub(super) fn fits(self, ring: bool) -> bool {
        self.is_whole() || self.max_layers >= self.min_layers(ring)
    }

    /// Returns windows, at least one, that together write the layers `computed`. The cut must [fit](Cut::fits).
    pub(super) fn windows(self, computed: Range<u32>) -> Vec<Layers> {
        let mut windows = Vec::new();
        let mut begin = computed.start;
        loop {
            let first = begin.saturating_sub(self.reach) / self.alignment * self.alignment;
            let last = computed.end.saturating_add(self.reach).min(first.saturating_add(self.max_layers));
            let last = last.min(self.layers);
            let end = if last == self.layers { computed.end } else { last - self.reach };
            windows.push(Layers { held: first..last, written: begin..end });
            if end >= computed.end {
                return windows;
            }
            begin = end;
        }
    }

    /// Returns the last aligned layer that is not behind the start of the ring's last 2 × `reach` layers.
    pub(super) fn tail(self) -> u32 {
        (self.layers - 2 * self.reach) / self.alignment * self.alignment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_partition_computed_layers_and_hold_their_reach() {
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
            assert_eq!(pair[0].held.len(), cut.max_layers as usize, "{cut:?} {windows:?}");
            let shared = pair[0].held.end - pair[1].held.start;
            // Neighbours of aligned layers share twice the reach, others up to `alignment - 1` more.
            assert!((2 * cut.reach..2 * cut.reach + cut.alignment).contains(&shared), "{cut:?} {windows:?}");
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
