//! Cuts a range of a buffer into windows that one binding can hold.

use wgpu::Limits;

use crate::gpu::limits::{LimitError, needs};
use crate::gpu::range::ByteRange;

/// The most windows of a plan. A plan lists a dispatch for each, and recording each takes time.
const MOST: u64 = 1 << 16;

/// Checks that `bytes` bytes do not take too many windows.
pub(crate) fn check(bytes: u64, limits: &Limits) -> Result<(), LimitError> {
    needs!(limits, max_storage_buffer_binding_size, bytes.div_ceil(MOST))
}

/// A part of a buffer that one binding can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The offset of the binding, in bytes.
    pub(crate) start: u64,
    /// Its length in bytes; 0 if there is nothing to read.
    pub(crate) size: u64,
    /// Items between the start of the binding and the first one covered.
    pub(crate) first: u32,
    /// The number of items covered.
    pub(crate) len: u32,
    /// The position of the first item in the whole input.
    pub(crate) index: u32,
}

impl Window {
    /// Its range of bytes; `None` if there is nothing to read.
    pub(crate) fn bytes(&self) -> Option<ByteRange> {
        (self.size > 0).then_some(ByteRange { offset: self.start, size: self.size })
    }
}

/// Cuts `len` items of `item` bytes, starting at byte `offset`, into windows of at most `largest` bytes. There is at least one window.
///
/// A binding starts at a multiple of `align`, so the first window may start with a few items that do not belong to the caller's range. Every later
/// window starts exactly at the end of the previous one. `largest` must be a multiple of `align`.
pub(crate) fn cut(offset: u64, len: u64, item: u64, largest: u64, align: u64) -> Vec<Window> {
    let end = offset + len * item;
    let mut windows = Vec::new();
    let mut at = offset;
    loop {
        let start = at / align * align;
        let stop = end.min(start.saturating_add(largest));
        windows.push(Window {
            start,
            // The size of a binding is a multiple of four bytes; an odd number of 16-bit elements ends inside a word.
            size: if stop == at { 0 } else { (stop - start).next_multiple_of(4) },
            first: ((at - start) / item) as u32,
            len: ((stop - at) / item) as u32,
            index: ((at - offset) / item) as u32,
        });
        if stop == end {
            return windows;
        }
        at = stop;
    }
}
