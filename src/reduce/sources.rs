//! What a reduction reads.

use crate::gpu::input::Input;
use crate::gpu::slice::Slice;

/// The buffers that a reduction reads.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources<'b> {
    pub(super) parts: Vec<Input<'b>>,
    pub(super) second: Option<Slice<'b>>,
    pub(super) offsets: Option<Slice<'b>>,
    pub(super) count: Option<Slice<'b>>,
    pub(super) parameters: Option<Slice<'b>>,
    pub(super) len: Option<u64>,
    pub(super) stands_for: Option<u32>,
    /// The index of the first element.
    pub(super) index: u32,
}
