//! Buffers as kernels see them: ranges, small numbers, groups of bindings, and what can be wrong with a caller's buffer.
//!
//! Reductions, histograms and stencils bind alike; the errors of each wrap a [`BufferError`].

use std::num::NonZeroU64;

use wgpu::{BindingResource, Buffer, BufferUsages, Device};

use crate::slice::Slice;

/// Distance between the parameters of two dispatches: the largest alignment a device may ask for.
pub(crate) const STRIDE: usize = 256;

/// A part of a buffer as a binding.
pub(crate) fn slice(buffer: &Buffer, offset: u64, size: u64) -> BindingResource<'_> {
    BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size: NonZeroU64::new(size) })
}

/// Adds a block with the parameters of a dispatch to those of others.
pub(crate) fn push_block<T: bytemuck::Pod>(blocks: &mut Vec<u8>, params: &T) {
    let at = blocks.len();
    blocks.extend(bytemuck::bytes_of(params));
    blocks.resize(at + STRIDE, 0);
}

/// The parameters of several dispatches, one block each: never nothing, as no buffer may be empty.
pub(crate) fn blocks<T: bytemuck::Pod>(params: impl Iterator<Item = T>) -> Vec<u8> {
    let mut blocks = Vec::new();
    params.for_each(|params| push_block(&mut blocks, &params));
    blocks.resize(blocks.len().max(STRIDE), 0);
    blocks
}

/// Where the block that was added after so many others starts.
pub(crate) const fn block_offset(index: usize) -> u64 {
    (index * STRIDE) as u64
}

/// A block that starts at some byte as a binding.
pub(crate) fn block<T>(params: &Buffer, offset: u64) -> BindingResource<'_> {
    slice(params, offset, size_of::<T>() as u64)
}

/// A small buffer with contents, which are whole words; of a device that is lost, a buffer without.
///
/// wgpu's own `create_buffer_init` panics there: what a lost device creates cannot be written to.
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

/// Maps or unmaps a buffer of halofold's own, which only the loss of the device can make an error. wgpu reports that one as an error
/// of the buffer's, by default with a panic: here nobody is told.
pub(crate) fn quietly(device: &Device, work: impl FnOnce()) {
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    work();
    drop(scope.pop());
}

/// Binds buffers to the slots of group 0.
pub(crate) fn bind<'a>(
    device: &Device,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    resources: impl IntoIterator<Item = (u32, BindingResource<'a>)>,
) -> wgpu::BindGroup {
    let entries: Vec<_> =
        resources.into_iter().map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource }).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(label), layout, entries: &entries })
}

/// What kernels do with a part of a caller's buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use<'a> {
    /// What the buffer is for.
    pub(crate) role: &'static str,
    pub(crate) buffer: &'a Buffer,
    /// The first byte.
    pub(crate) start: u64,
    /// One past the last.
    pub(crate) end: u64,
}

/// Why a caller's buffer cannot be used as it should be: what [`reduce`](crate::reduce), [`histogram`](crate::histogram),
/// and [`stencil`](crate::stencil) say of buffers when they prepare. All sizes and offsets are in bytes, from the
/// start of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BufferError {
    /// It lacks a usage.
    #[error("the {role} buffer lacks {usage:?}: create it with that usage")]
    Usage {
        /// What the buffer is for.
        role: &'static str,
        /// The usage it lacks, which the buffer must be created with.
        usage: BufferUsages,
    },
    /// It ends too early; a workspace, if it was made for another plan.
    #[error("the {role} needs bytes {start}..{end}, but ends at byte {size}")]
    TooShort {
        /// What the buffer is for.
        role: &'static str,
        /// First byte needed.
        start: u64,
        /// One past the last byte needed.
        end: u64,
        /// Where the buffer ends, or the slice of it that was given.
        size: u64,
    },
    /// An offset is not where a binding may start.
    #[error(
        "the {role} starts at byte {offset}, which is no multiple of {align} (min_storage_buffer_offset_alignment)"
    )]
    Offset {
        /// What the buffer is for.
        role: &'static str,
        /// Where it starts.
        offset: u64,
        /// What it must be a multiple of on this device: `min_storage_buffer_offset_alignment`.
        align: u32,
    },
    /// One buffer for two things, of which one is written: wgpu does not bind it so, even where the ranges are apart.
    #[error("the {first} and the {second} are one buffer: a dispatch cannot read and write it at once")]
    Aliased {
        /// One use.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
}

impl<'a> Use<'a> {
    /// `size` bytes from `start` on, however far that reaches.
    pub(crate) fn of(role: &'static str, buffer: &'a Buffer, start: u64, size: u64) -> Self {
        Use { role, buffer, start, end: start.saturating_add(size) }
    }

    /// The buffer must be for storage, and long enough.
    pub(crate) fn check(&self) -> Result<(), BufferError> {
        let Use { role, buffer, start, end } = *self;
        if !buffer.usage().contains(BufferUsages::STORAGE) {
            return Err(BufferError::Usage { role, usage: BufferUsages::STORAGE });
        }
        if end > buffer.size() {
            return Err(BufferError::TooShort { role, start, end, size: buffer.size() });
        }
        Ok(())
    }

    /// It must be inside of what the caller gave.
    pub(crate) fn inside(&self, given: Slice<'_>) -> Result<(), BufferError> {
        let Use { role, start, end, .. } = *self;
        if end > given.end() {
            return Err(BufferError::TooShort { role, start, end, size: given.end() });
        }
        Ok(())
    }

    /// It must start where a binding may.
    pub(crate) fn aligned(&self, limits: &wgpu::Limits) -> Result<(), BufferError> {
        let align = limits.min_storage_buffer_offset_alignment;
        if self.start.is_multiple_of(u64::from(align)) {
            return Ok(());
        }
        Err(BufferError::Offset { role: self.role, offset: self.start, align })
    }

    /// It must not be another use's buffer.
    pub(crate) fn apart(&self, other: &Use<'_>) -> Result<(), BufferError> {
        if self.buffer == other.buffer {
            return Err(BufferError::Aliased { first: self.role, second: other.role });
        }
        Ok(())
    }
}

/// Scratch memory must be as long as a plan needs it.
pub(crate) fn room(role: &'static str, buffer: &Buffer, needed: u64) -> Result<(), BufferError> {
    if needed > buffer.size() {
        return Err(BufferError::TooShort { role, start: 0, end: needed, size: buffer.size() });
    }
    Ok(())
}

/// An allocation of scratch memory, never too small to be bound.
pub(crate) fn scratch(device: &Device, label: &str, size: u64) -> Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: size.max(32),
        usage: BufferUsages::STORAGE,
        mapped_at_creation: false,
    })
}
