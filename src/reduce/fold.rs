//! Folds as data: the kernels of each shape, and what their workgroups share. An operator folds as [`FOLD`] says, or as exact sums do.

use crate::reduce::kernel::{COLUMNS, Kernel, OFFSETS, SEGMENTS, SINGLE_PASS};

/// The kernels that fold an operator's elements.
#[derive(Debug, PartialEq)]
pub(super) struct Fold {
    /// Whole and strided inputs.
    pub(super) whole: &'static Kernel,
    /// Segments of one length.
    pub(super) segments: &'static Kernel,
    /// Segments between offsets.
    pub(super) offsets: &'static Kernel,
    /// The middle axis of an array.
    pub(super) columns: &'static Kernel,
    /// True if the invocations of a workgroup share memory besides accumulators: a workgroup computes one result at a time, and
    /// its partial is more than an accumulator.
    pub(super) shares_memory: bool,
    /// True if inputs and outputs are arrays of words, whatever the elements are.
    pub(super) in_words: bool,
}

/// Accumulators alone.
pub(super) static FOLD: Fold = Fold {
    whole: &SINGLE_PASS,
    segments: &SEGMENTS,
    offsets: &OFFSETS,
    columns: &COLUMNS,
    shares_memory: false,
    in_words: false,
};

impl Fold {
    /// Returns true if a kernel is one of this fold's.
    pub(super) fn has(&self, kernel: &Kernel) -> bool {
        [self.whole, self.segments, self.offsets, self.columns].contains(&kernel)
    }
}
