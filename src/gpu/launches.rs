//! The number of launches in which the partials of one result are combined.

/// The number of launches in which several workgroups combine their partials to one result, for reductions of whole and of strided inputs.
/// In other shapes no workgroup reads what another one writes in the same launch.
///
/// With one launch the last workgroup to finish collects the partials that the others have published. This is
/// faster, but it relies on the order in which a GPU performs atomic operations on different addresses. No
/// specification guarantees that order: WGSL's atomics are relaxed. All specifications guarantee the order
/// between two launches. `docs/determinism.md` explains this; an ignored test, `tests/device/one_launch.rs`, tries
/// whether one launch fails on an adapter.
///
/// With two launches the exact sum of a buffer is that of one segment. Exact sums of
/// several buffers, of a stride, or of a count on the GPU only have one launch.
///
/// Both ways combine the elements in the same order, so floats have the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Launches {
    /// One launch. No adapter is known on which it fails.
    #[default]
    One,
    /// Two launches, of which the second has one workgroup.
    Two,
}
