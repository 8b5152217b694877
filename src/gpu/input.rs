//! Inputs: elements of a buffer, cut into windows that a binding can hold, or texels of a texture.

use std::ops::Range;

use wgpu::{Device, Limits, TextureSampleType};

use crate::gpu::buffers::BufferError;
use crate::gpu::error::Error;
use crate::gpu::limits::{LimitError, needs};
use crate::gpu::range::{BufferRange, ByteRange, Cut};
use crate::gpu::slice::Slice;
use crate::gpu::texels::{Texels, TextureError};
use crate::gpu::window::{self, Window};

/// The input of an operation.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
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

    /// The slice, if it is one of a buffer.
    pub(crate) fn slice(&self) -> Option<Slice<'a>> {
        match self {
            Input::Buffer(slice) => Some(*slice),
            Input::Texels(_) => None,
        }
    }
}

/// Cuts the parts of an input to the first elements.
pub(crate) fn cut(parts: &mut [BufferRange], len: u64) -> Result<(), BufferError> {
    let mut left = len;
    for part in parts {
        part.len = part.len.min(left);
        left -= part.len;
    }
    if left > 0 { Err(BufferError::TooFew { asked: len, has: len - left }) } else { Ok(()) }
}

/// Cuts an input into windows of every `stride`-th element, starting with number `first`. Windows without one are left out.
pub(crate) fn windows(
    input: BufferRange,
    item: u64,
    (stride, first): (u32, u32),
    limits: &Limits,
) -> Result<Vec<Window>, Error> {
    check_all(input, item, limits)?;
    let unit = vectors(item, limits);
    let largest = largest_binding(limits) / unit * unit;
    let (stride, first) = (u64::from(stride), u64::from(first));
    let taken = |window: Window| {
        let begin = u64::from(window.index);
        let index = first + begin.saturating_sub(first).next_multiple_of(stride);
        let len = (begin + u64::from(window.len)).saturating_sub(index).div_ceil(stride);
        let first = u64::from(window.first) + (index - begin);
        (len > 0).then_some(Window { first: first as u32, len: len as u32, index: index as u32, ..window })
    };
    let windows = window::cut(input.offset, input.len, item, largest, unit);
    Ok(windows.into_iter().filter_map(taken).collect())
}

/// Cuts two inputs, with elements of these sizes, into windows of the same elements: the window of the first one, and the binding of the
/// second one with the position of its first element. Windows without elements are left out.
pub(crate) fn windows_of_two(
    inputs: [BufferRange; 2],
    items: [u64; 2],
    limits: &Limits,
) -> Result<Vec<(Window, ByteRange, u32)>, Error> {
    let [first, second] = inputs;
    let units = items.map(|item| vectors(item, limits));
    check_all(first, items[0], limits)?;
    check_all(second, items[1], limits)?;
    // A window of the second input may start at another distance from a multiple of the alignment.
    needs!(limits, max_storage_buffer_binding_size, units[0].max(units[1]) * 2)?;
    let fit = (largest_binding(limits) - units[1]) / items[1] * items[0];
    let largest = (fit.min(largest_binding(limits)) / units[0]).max(1) * units[0];
    let windows = window::cut(first.offset, first.len, items[0], largest, units[0]);
    let both = |window: Window| {
        let begin = u64::from(window.index);
        let (bytes, at) = binding(second, items[1], begin..begin + u64::from(window.len), units[1]);
        (window, bytes, at)
    };
    Ok(windows.into_iter().filter(|window| window.len > 0).map(both).collect())
}

/// The binding that holds these elements of an input, and the position of the first of them in it. It starts at a multiple of `unit`.
pub(crate) fn binding(input: BufferRange, item: u64, elements: Range<u64>, unit: u64) -> (ByteRange, u32) {
    let at = input.offset + elements.start * item;
    let start = at / unit * unit;
    let end = (input.offset + elements.end * item).next_multiple_of(4);
    (ByteRange { offset: start, size: end - start }, ((at - start) / item) as u32)
}

/// The binding that holds all elements of an input, and the position of the first of them in it.
pub(crate) fn whole(input: BufferRange, item: u64, limits: &Limits) -> Result<(ByteRange, u32), Error> {
    check_all(input, item, limits)?;
    let (bytes, first) = binding(input, item, 0..input.len, vectors(item, limits));
    needs!(limits, max_storage_buffer_binding_size, bytes.size).map_err(too_long)?;
    Ok((bytes, first))
}

/// Checks that windows can hold an input.
pub(crate) fn check_all(input: BufferRange, item: u64, limits: &Limits) -> Result<(), Error> {
    check(input, item, item)?;
    check_count(input.len)?;
    window::check(input.len * item, limits).map_err(too_long)?;
    Ok(needs!(limits, max_storage_buffer_binding_size, vectors(item, limits))?)
}

fn too_long(error: LimitError) -> LimitError {
    error.of("an input").or("give fewer elements at a time")
}

/// The unit of windows whose elements may be read as vectors of 16 bytes.
fn vectors(item: u64, limits: &Limits) -> u64 {
    unit(u64::from(limits.min_storage_buffer_offset_alignment).max(16), item)
}

/// Bytes of the largest binding, which kernels count in 31 bits.
fn largest_binding(limits: &Limits) -> u64 {
    limits.max_storage_buffer_binding_size.min(1 << 31)
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

/// Checks that an input of `len` elements has whole rows, or segments whose offsets ascend.
pub(crate) fn check_cut(cut: &Cut, len: u64) -> Result<(), Error> {
    match cut {
        Cut::Rows(row) if *row == 0 || !len.is_multiple_of(*row) => {
            Err(Error::setting("rows", format!("{len} elements in rows of {row}: give whole rows")))
        }
        Cut::Segments(offsets) => {
            let falling = offsets.windows(2).position(|ends| ends[0] > ends[1]);
            falling.map_or(Ok(()), |at| Err(not_a_segment(at, offsets, len)))
        }
        _ => Ok(()),
    }
}

/// The error of a segment, with its number from 0, that ends before it starts, or after the input.
pub(crate) fn not_a_segment(number: usize, offsets: &[u32], len: u64) -> Error {
    let [start, end] = [offsets[number], offsets[number + 1]];
    let remedy = "give offsets that ascend, up to the number of elements";
    let message = format!("segment {number} from {start} to {end}, of {len} elements: {remedy}");
    Error::setting("segment_offsets", message)
}

/// Checks that a 32-bit index can count `len` elements.
pub(crate) fn check_count(len: u64) -> Result<(), BufferError> {
    u32::try_from(len).map(drop).map_err(|_| BufferError::TooMany(len))
}

/// The least multiple of an alignment, which is a power of two, that is a multiple of the stride, too.
pub(crate) fn unit(align: u64, stride: u64) -> u64 {
    let odd = stride >> stride.trailing_zeros();
    align.max(stride / odd) * odd
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_of_two_inputs_hold_the_same_elements() {
        let limits = Limits { max_storage_buffer_binding_size: 1024, ..Limits::default() };
        for ([first, second], items) in
            [([0, 0], [4, 4]), ([4, 252], [4, 4]), ([8, 12], [8, 4]), ([6, 4], [2, 4])]
        {
            let ranges = [first, second].map(|offset| BufferRange { offset, len: 1000 });
            let windows = windows_of_two(ranges, items, &limits).unwrap();
            let mut index = 0;
            for (window, bytes, at) in windows {
                assert_eq!(window.index, index);
                index += window.len;
                let begins = |start: u64, at: u32, item: u64| start + u64::from(at) * item;
                assert_eq!(
                    begins(window.start, window.first, items[0]),
                    first + u64::from(window.index) * items[0]
                );
                assert_eq!(begins(bytes.offset, at, items[1]), second + u64::from(window.index) * items[1]);
                assert!(window.size <= 1024 && bytes.size <= 1024, "{window:?} {bytes:?}");
                assert!(u64::from(at + window.len) * items[1] <= bytes.size);
                assert!(bytes.offset % 256 == 0 && window.start % 256 == 0);
            }
            assert_eq!(index, 1000);
        }
    }
}
