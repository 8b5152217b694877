//! Buffers: ranges as bindings, small buffers of halofold's own, and checks of a caller's buffers.

use std::num::NonZeroU64;

use wgpu::{BindingResource, Buffer, BufferUsages, Device};

use crate::gpu::slice::Slice;

pub(crate) fn slice(buffer: &Buffer, offset: u64, size: u64) -> BindingResource<'_> {
    BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size: NonZeroU64::new(size) })
}

/// Creates a small buffer with contents, which are whole words. If the device is lost, the buffer has no contents.
///
/// wgpu's own `create_buffer_init` panics in that case, because a buffer of a lost device cannot be written.
pub(crate) fn filled(device: &Device, label: &str, contents: &[u8], usage: BufferUsages) -> Buffer {
    let size = (contents.len() as u64).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
    let descriptor = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: true };
    let buffer = device.create_buffer(&descriptor);
    if let Ok(mut bytes) = buffer.get_mapped_range_mut(..) {
        bytes.slice(..contents.len()).copy_from_slice(contents);
        drop(bytes);
        quietly(device, || buffer.unmap());
    }
    buffer
}

/// Bytes of the smallest buffer of scratch memory: as large as any binding must be.
pub(crate) const LEAST: u64 = 128;

pub(crate) fn scratch(device: &Device, label: &str, size: u64) -> Buffer {
    storage(device, label, size.max(LEAST), BufferUsages::empty())
}

/// Allocates a storage buffer with further usages, of one word at least: a binding cannot be empty.
pub(crate) fn storage(device: &Device, label: &str, size: u64, usage: BufferUsages) -> Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: size.max(4),
        usage: BufferUsages::STORAGE | usage,
        mapped_at_creation: false,
    })
}

/// Maps or unmaps one of halofold's own buffers. This fails only if the device is lost. wgpu would report
/// that as a validation error, by default with a panic; this function suppresses the report.
pub(crate) fn quietly(device: &Device, work: impl FnOnce()) {
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    work();
    drop(scope.pop());
}

/// The use of a slice of a caller's buffer by kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use<'a> {
    /// The purpose of the buffer.
    role: &'static str,
    given: Slice<'a>,
    /// The offset one past the last byte that kernels bind.
    end: u64,
    usage: BufferUsages,
}

/// Errors of a caller's buffer that cannot be used, found when an operation binds it. All sizes and offsets are in
/// bytes, and offsets count from the start of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BufferError {
    /// The buffer lacks a usage.
    #[error("the {role} buffer lacks {usage:?}: create it with that usage")]
    Usage {
        /// The purpose of the buffer.
        role: &'static str,
        /// The missing usage, with which the buffer must be created.
        usage: BufferUsages,
    },
    /// The buffer is too short, or a slice ends beyond its buffer.
    #[error(
        "the {role} slice needs bytes {start}..{end}, but ends at byte {size}: make it longer, or give a slice that ends inside its buffer"
    )]
    TooShort {
        /// The purpose of the buffer.
        role: &'static str,
        /// First byte needed, or of the slice.
        start: u64,
        /// One past the last byte needed, or of the slice.
        end: u64,
        /// The end of the buffer, or of the given slice.
        size: u64,
    },
    /// An offset at which no binding may start.
    #[error(
        "the {role} slice starts at byte {offset}, which is not a multiple of {align} ({limit}): start it at one"
    )]
    Offset {
        /// The purpose of the buffer.
        role: &'static str,
        /// Its offset.
        offset: u64,
        /// The alignment on this device.
        align: u32,
        /// Its reason: a field of [`wgpu::Limits`], or the size of a number.
        limit: &'static str,
    },
    /// One buffer has two uses, and one of them writes. wgpu does not allow this, even if the ranges do not overlap.
    #[error("the {first} and the {second} are one buffer: a dispatch that writes it cannot bind it twice")]
    Aliased {
        /// One use.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// An output that is missing, or that the operation does not write.
    #[error("the output `{name}` {}", if *is_needed { "is missing: give a buffer for it" } else { "is not written: ask for it, or leave it out" })]
    Output {
        /// Its name.
        name: &'static str,
        /// True if the operation writes it.
        is_needed: bool,
    },
    /// A second input that is missing, or that the operation does not take.
    #[error("the operation takes {}", if *is_needed { "two inputs: give the second one" } else { "one input: leave the second one out" })]
    SecondInput {
        /// True if it takes two.
        is_needed: bool,
    },
    /// Two inputs of unequal lengths.
    #[error("inputs of {first} and {second} elements: give as many in both")]
    Lengths {
        /// Elements of the first.
        first: u64,
        /// Elements of the second.
        second: u64,
    },
    /// A request for more elements than the input has.
    #[error("the first {asked} elements of an input that has {has}: ask for fewer, or give a longer slice")]
    TooFew {
        /// The number requested.
        asked: u64,
        /// The number that the input has.
        has: u64,
    },
    /// More elements than a 32-bit index can count.
    #[error("{0} elements: one operation takes at most 4294967295; split the input")]
    TooMany(u64),
    /// An input with an end beyond the largest address.
    #[error("{len} elements from byte {offset} on: no buffer reaches that far; give a range of the buffer")]
    OutOfReach {
        /// The offset of the input.
        offset: u64,
        /// The number of elements.
        len: u64,
    },
    /// An input that starts between two elements.
    #[error("an input starts at byte {offset}: start it at a multiple of {size} bytes")]
    Misaligned {
        /// The offset of the input.
        offset: u64,
        /// Bytes of an element. For states, the least common multiple of their size and the alignment.
        size: u64,
    },
}

/// Checks the buffers of an operation: each is as long as the plan needs, and none is both read and written, or written twice.
pub(crate) fn check(reads: &[Use<'_>], writes: &[Use<'_>], limits: &wgpu::Limits) -> Result<(), BufferError> {
    reads.iter().try_for_each(Use::check)?;
    for (nth, written) in writes.iter().enumerate() {
        written.inside()?;
        written.aligned(limits)?;
        writes[..nth].iter().chain(reads).try_for_each(|other| other.apart(written))?;
    }
    Ok(())
}

impl<'a> Use<'a> {
    /// The use of the first `size` bytes of a slice. The end saturates.
    pub(crate) fn of(role: &'static str, given: Slice<'a>, size: u64) -> Self {
        Use::until(role, given, given.offset().saturating_add(size))
    }

    /// The use of a slice up to a byte of its buffer.
    pub(crate) fn until(role: &'static str, given: Slice<'a>, end: u64) -> Self {
        Use { role, given, end, usage: BufferUsages::STORAGE }
    }

    /// The bytes used, as a binding.
    pub(crate) fn resource(&self) -> BindingResource<'a> {
        slice(self.given.buffer(), self.given.offset(), self.size())
    }

    /// The slice that was given.
    pub(crate) fn given(&self) -> Slice<'a> {
        self.given
    }

    /// The number of bytes used.
    pub(crate) fn size(&self) -> u64 {
        self.end - self.given.offset()
    }

    /// True if it is bound as a uniform.
    pub(crate) fn is_uniform(&self) -> bool {
        self.usage == BufferUsages::UNIFORM
    }

    /// The same use with another usage.
    pub(crate) fn with_usage(self, usage: BufferUsages) -> Self {
        Use { usage, ..self }
    }

    /// Checks that the buffer has its usage, and holds the whole slice and every byte used. Of
    /// an odd number of 16-bit elements the last word ends behind the slice.
    pub(crate) fn check(&self) -> Result<(), BufferError> {
        let buffer = self.given.buffer();
        if !buffer.usage().contains(self.usage) {
            return Err(BufferError::Usage { role: self.role, usage: self.usage });
        }
        self.ends(self.end.max(self.given.end()), buffer.size())
    }

    /// Makes the same checks, and that every byte used is inside the slice.
    pub(crate) fn inside(&self) -> Result<(), BufferError> {
        self.check()?;
        self.ends(self.end, self.given.end())
    }

    fn ends(&self, end: u64, size: u64) -> Result<(), BufferError> {
        let (role, start) = (self.role, self.given.offset());
        if end > size { Err(BufferError::TooShort { role, start, end, size }) } else { Ok(()) }
    }

    /// Checks the alignment of its start.
    pub(crate) fn aligned(&self, limits: &wgpu::Limits) -> Result<(), BufferError> {
        let (align, limit) = if self.is_uniform() {
            (limits.min_uniform_buffer_offset_alignment, "min_uniform_buffer_offset_alignment")
        } else {
            (limits.min_storage_buffer_offset_alignment, "min_storage_buffer_offset_alignment")
        };
        let offset = self.given.offset();
        if offset.is_multiple_of(u64::from(align)) {
            return Ok(());
        }
        Err(BufferError::Offset { role: self.role, offset, align, limit })
    }

    /// Checks that another use has another buffer, unless this one binds nothing.
    pub(crate) fn apart(&self, other: &Use<'_>) -> Result<(), BufferError> {
        if self.end > self.given.offset() && self.given.buffer() == other.given.buffer() {
            return Err(BufferError::Aliased { first: self.role, second: other.role });
        }
        Ok(())
    }
}
