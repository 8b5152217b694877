//! The shortest way of a small result to the host: a buffer that a kernel writes and the host reads.

use wgpu::{Buffer, BufferUsages, CommandEncoder, Device, Features};

use super::mappable::Mappable;
use super::{ReadError, Reading};

/// A small output buffer whose contents reach the host in the shortest time that the device offers.
///
/// With [`Features::MAPPABLE_PRIMARY_BUFFERS`] kernels write into memory that the host reads, and nothing is copied; without
/// it a copy is recorded behind the kernel. Either way [`Mailbox::spin`] asks the device again and again instead of sleeping
/// until it answers: waking up takes longer than a small reduction does. On an NVIDIA H200 the sum of a million floats is on
/// the host about 30 µs after recording began, against about 60 µs through [`Readback::wait`](super::Readback::wait) (`docs/results/library.md`).
///
/// A mailbox is for results of a few bytes: memory that the host can read is slow for a GPU.
///
/// ```
/// use halofold::Element;
/// use halofold::read::Mailbox;
/// use halofold::reduce::{Op, Reducer};
///
/// # fn run() -> Result<(), Box<dyn std::error::Error>> {
/// # let opened = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs"));
/// # let Some((device, queue)) = opened else { return Ok(()) };
/// # use halofold::wgpu::{self, util::DeviceExt as _};
/// # let elements = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
/// #     label: None, contents: bytemuck::cast_slice(&[1.0f32, 9.5, -20.0, 9.5]), usage: wgpu::BufferUsages::STORAGE });
/// // Once, when the application starts:
/// let largest = Reducer::new(&device, Op::ArgMax.over(Element::F32)?)?;
/// let mailbox = Mailbox::new(&device, 8);
/// let prepared = largest.of(&elements).into(mailbox.buffer())?;
/// // As often as it likes:
/// let mut encoder = device.create_command_encoder(&Default::default());
/// prepared.encode(&mut encoder);
/// mailbox.encode(&mut encoder)?;
/// queue.submit([encoder.finish()]);
/// let (value, index): (f32, u32) = largest.results(&mailbox.spin()?)?;
/// # assert_eq!((value, index), (9.5, 1));
/// # Ok(())
/// # }
/// # run().unwrap();
/// ```
#[derive(Debug)]
pub struct Mailbox {
    buffer: Buffer,
    /// What the host maps: the same buffer, or what it is copied to.
    mapped: Result<Mappable, ReadError>,
    is_copied: bool,
    size: u64,
}

impl Mailbox {
    /// Allocates room for `size` bytes, rounded up to whole words of four; without [`Features::MAPPABLE_PRIMARY_BUFFERS`] twice. Where
    /// that is more than a buffer of the device may have, the buffer has one word, and whatever else the mailbox is used for is
    /// [`ReadError::TooLarge`].
    pub fn new(device: &Device, size: u64) -> Self {
        let is_copied = !device.features().contains(Features::MAPPABLE_PRIMARY_BUFFERS);
        let label = "halofold::read::mailbox";
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let mapped = if is_copied {
            Mappable::new(device, "halofold::read::mailbox_copy", size, BufferUsages::COPY_DST)
        } else {
            Mappable::new(device, label, size, usage)
        };
        let buffer = match &mapped {
            Ok(mapped) if !is_copied => mapped.buffer().clone(),
            _ => device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: mapped.as_ref().map_or(wgpu::COPY_BUFFER_ALIGNMENT, |mapped| mapped.buffer().size()),
                usage: usage | BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
        };
        Mailbox { buffer, mapped, is_copied, size }
    }

    /// The buffer to give to a reduction as its output, at offset 0. While the host reads, no submission may use it. It has
    /// [`BufferUsages::STORAGE`], and [`BufferUsages::COPY_DST`] to be cleared with.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Records what has to follow the kernel: a copy, or nothing. Outside of a pass, and in front of every submission that
    /// [`Mailbox::spin`] or [`Mailbox::read`] follows.
    ///
    /// # Errors
    ///
    /// If an earlier [`Reading`] has the buffer still.
    pub fn encode(&self, encoder: &mut CommandEncoder) -> Result<(), ReadError> {
        let mapped = self.mapped.as_ref().map_err(Clone::clone)?;
        mapped.check_free()?;
        if self.is_copied {
            encoder.copy_buffer_to_buffer(&self.buffer, 0, mapped.buffer(), 0, self.buffer.size());
        }
        Ok(())
    }

    /// The bytes, all that there is room for, once everything submitted so far is done. Blocks and keeps a core busy until then, without
    /// a limit of time: for results that are near. Afterwards the mailbox takes the next result.
    ///
    /// Not in a browser: there nothing arrives before a program returns to it. Await [`Mailbox::read`] instead, or look at it by
    /// [`Reading::try_take`] in every frame.
    ///
    /// # Errors
    ///
    /// If the device is lost, or an earlier [`Reading`] has the buffer still; in a browser, [`ReadError::Browser`].
    pub fn spin(&self) -> Result<Vec<u8>, ReadError> {
        self.read().spin()
    }

    /// The same without a busy core: asks for the bytes now. They are awaited, or [looked at](Reading::try_take) now and then.
    pub fn read(&self) -> Reading {
        match &self.mapped {
            Ok(mapped) => mapped.ask(self.size),
            Err(error) => Reading::refused(error.clone()),
        }
    }
}
