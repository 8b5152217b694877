//! The fastest way to read a small result: a buffer that a kernel writes and the host reads.

use wgpu::{Buffer, BufferUsages, CommandEncoder, Device, Features};

use super::{ReadError, Readback, Reading};
use crate::gpu::buffers;

/// A small output buffer for results that the host needs with the least delay.
///
/// With [`Features::MAPPABLE_PRIMARY_BUFFERS`] kernels write directly to memory that the host reads, and nothing is copied. Without it a copy is
/// recorded after the kernel. In both cases [`Mailbox::spin`] polls the device in a loop instead of sleeping, because waking up takes longer than a
/// small reduction. On an NVIDIA H200 the sum of a million floats is on the host about 30 µs after recording began. With
/// [`Readback::wait`](super::Readback::wait) this takes about 60 µs (`docs/results/library.md`).
///
/// Use a mailbox only for results of a few bytes: a GPU writes host-readable memory slowly.
///
/// ```
/// use halofold::{Compiled, Element, Options};
/// use halofold::read::Mailbox;
/// use halofold::reduce::{Op, Reduce};
///
/// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
/// # let elements = buffer(bytemuck::cast_slice(&[1.0f32, 9.5, -20.0, 9.5]));
/// // Once, when the application starts:
/// let largest = Compiled::new(&device, Reduce::new(Op::ArgMax.over(Element::F32)?), &Options::default())?;
/// let mailbox = Mailbox::new(&device, 8);
/// let prepared = largest.of(&elements).bind(mailbox.buffer())?;
/// // Any number of times:
/// let mut encoder = device.create_command_encoder(&Default::default());
/// prepared.encode(&mut encoder);
/// mailbox.encode(&mut encoder)?;
/// queue.submit([encoder.finish()]);
/// let (value, index): (f32, u32) = largest.results(&mailbox.spin()?)?;
/// # assert_eq!((value, index), (9.5, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Mailbox {
    buffer: Buffer,
    /// The buffer that the host maps: the output itself, or its copy.
    mapped: Readback,
    is_copied: bool,
    size: u64,
}

impl Mailbox {
    /// Allocates `size` bytes, rounded up to words of four bytes; twice without [`Features::MAPPABLE_PRIMARY_BUFFERS`]. If this exceeds the device's
    /// largest buffer, the buffer has only one word, and all methods of the mailbox return [`ReadError::TooLarge`].
    pub fn new(device: &Device, size: u64) -> Self {
        let is_copied = !device.features().contains(Features::MAPPABLE_PRIMARY_BUFFERS);
        let label = "halofold::read::mailbox";
        let written = if is_copied { BufferUsages::empty() } else { BufferUsages::STORAGE };
        let mapped = Readback::labelled(device, label, size, written | BufferUsages::COPY_DST);
        let buffer = match mapped.buffer() {
            Ok(mapped) if !is_copied => mapped.clone(),
            mapped => {
                let size = mapped.map_or(0, Buffer::size);
                buffers::storage(device, label, size, BufferUsages::COPY_DST | BufferUsages::COPY_SRC)
            }
        };
        Mailbox { buffer, mapped, is_copied, size }
    }

    /// The buffer to use as the output of a reduction, at offset 0. No submission may use it while the host
    /// reads. It has [`BufferUsages::STORAGE`], and [`BufferUsages::COPY_DST`] so that you can clear it.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Records the copy after the kernel, if the mailbox needs one. Call it outside a pass, before every
    /// submission after which you call [`Mailbox::spin`] or [`Mailbox::read`].
    ///
    /// # Errors
    ///
    /// An earlier [`Reading`] still holds the buffer.
    pub fn encode(&self, encoder: &mut CommandEncoder) -> Result<(), ReadError> {
        let mapped = self.mapped.free_buffer()?;
        if self.is_copied {
            encoder.copy_buffer_to_buffer(&self.buffer, 0, mapped, 0, self.buffer.size());
        }
        Ok(())
    }

    /// Waits until everything submitted so far is done, and returns all bytes of the mailbox. It blocks, keeps a core busy, and has no time limit:
    /// use it for results that arrive soon. Afterwards the mailbox can take the next result.
    ///
    /// It does not work in a browser, where nothing arrives before the program returns to the event loop.
    /// There, await [`Mailbox::read`], or call [`Reading::try_take`] in every frame.
    ///
    /// # Errors
    ///
    /// The device is lost, or an earlier [`Reading`] still holds the buffer. In a browser, [`ReadError::Browser`].
    pub fn spin(&self) -> Result<Vec<u8>, ReadError> {
        self.read().spin()
    }

    /// Requests the bytes without blocking. Await the returned [`Reading`], or call [`Reading::try_take`] from time to time.
    pub fn read(&self) -> Reading {
        self.mapped.read(self.size)
    }
}
