//! Inputs: elements of a buffer, cut into windows that a binding can hold, or texels of a texture.

use wgpu::{Device, Limits, TextureSampleType};

use crate::operation::buffers::BufferError;
use crate::operation::limits::{LimitError, needs};
use crate::operation::texels::{BoundTexels, Order, Texels, TextureError};
use crate::reduce::BufferRange;
use crate::slice::Slice;
use crate::window::{self, Window};

/// The input of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'a> {
    /// Elements of a buffer.
    Buffer(Slice<'a>),
    /// Texels of a texture.
    Texels(Texels<'a>),
}

impl<'a> Input<'a> {
    /// Its elements, each of `size` bytes. An operation whose map takes texels says of which samples.
    pub(crate) fn extent(
        &self,
        size: u64,
        sample: Option<TextureSampleType>,
        device: &Device,
    ) -> Result<BufferRange, TextureError> {
        match (self, sample) {
            (Input::Buffer(slice), None) => {
                Ok(BufferRange { offset: slice.offset(), len: slice.size() / size })
            }
            (Input::Texels(texels), Some(sample)) => {
                texels.check(sample, device.adapter_info().backend)?;
                Ok(BufferRange { offset: 0, len: texels.len() })
            }
            (Input::Texels(_), None) => Err(TextureError::NoMap),
            (Input::Buffer(_), Some(_)) => Err(TextureError::NoTexture),
        }
    }

    /// Makes the bindings of a texture, for a map that takes samples of this type.
    pub(crate) fn bind(
        &self,
        device: &Device,
        sample: Option<TextureSampleType>,
        order: Order,
    ) -> Option<BoundTexels> {
        match (self, sample) {
            (Input::Texels(texels), Some(sample)) => Some(texels.bind(device, sample, order)),
            _ => None,
        }
    }

    /// The slice, if it is one of a buffer.
    pub(crate) fn slice(&self) -> Option<Slice<'a>> {
        match self {
            Input::Buffer(slice) => Some(*slice),
            Input::Texels(_) => None,
        }
    }
}

/// Cuts an input into windows of every `stride`-th element, starting with number `first`. Windows without one are left out.
pub(crate) fn windows<E>(
    BufferRange { offset, len }: BufferRange,
    item: u64,
    (stride, first): (u32, u32),
    limits: &Limits,
) -> Result<Vec<Window>, E>
where
    E: From<BufferError> + From<LimitError>,
{
    check(BufferRange { offset, len }, item, item)?;
    check_count(len)?;
    window::check(len * item, limits)?;
    // Elements may be read as vectors of 16 bytes.
    let unit = unit(u64::from(limits.min_storage_buffer_offset_alignment).max(16), item);
    let limit = limits.max_storage_buffer_binding_size;
    needs!(limits, max_storage_buffer_binding_size, unit)?;
    let (stride, first) = (u64::from(stride), u64::from(first));
    let taken = |window: Window| {
        let begin = u64::from(window.index);
        let index = first + begin.saturating_sub(first).next_multiple_of(stride);
        let len = (begin + u64::from(window.len)).saturating_sub(index).div_ceil(stride);
        let first = u64::from(window.first) + (index - begin);
        (len > 0).then_some(Window { first: first as u32, len: len as u32, index: index as u32, ..window })
    };
    let windows = window::cut(offset, len, item, limit.min(1 << 31) / unit * unit, unit);
    Ok(windows.into_iter().filter_map(taken).collect())
}

/// Checks that a range of items of `size` bytes starts at a multiple of `unit` bytes, and ends where a buffer can.
pub(crate) fn check(
    BufferRange { offset, len }: BufferRange,
    size: u64,
    unit: u64,
) -> Result<(), BufferError> {
    if !offset.is_multiple_of(unit) {
        return Err(BufferError::Misaligned { offset, size: unit });
    }
    // Room for rounding the end up to whole words.
    let end = len.checked_mul(size).and_then(|bytes| bytes.checked_add(offset)?.checked_add(4));
    end.map(drop).ok_or(BufferError::OutOfReach { offset, len })
}

/// Checks that a 32-bit index can count so many elements.
pub(crate) fn check_count(len: u64) -> Result<(), BufferError> {
    u32::try_from(len).map(drop).map_err(|_| BufferError::TooMany(len))
}

/// The least multiple of an alignment, which is a power of two, that is a multiple of the stride, too.
pub(crate) fn unit(align: u64, stride: u64) -> u64 {
    let odd = stride >> stride.trailing_zeros();
    align.max(stride / odd) * odd
}
