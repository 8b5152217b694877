//! The shortest way of a small result to the host: a buffer that a kernel writes and the host reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use wgpu::{Buffer, BufferUsages, CommandEncoder, Device, Features};

use super::{ReadError, Readback, take};

/// A small output buffer whose contents reach the host in the shortest time that the device offers.
///
/// With [`Features::MAPPABLE_PRIMARY_BUFFERS`] kernels write into memory that the host reads, and nothing is copied; without
/// it a copy is recorded behind the kernel. Either way [`Mailbox::spin`] asks the device again and again instead of sleeping
/// until it answers: waking up takes longer than a small reduction does. On an NVIDIA H200 the sum of a million floats is on
/// the host about 30 µs after recording began, against about 60 µs through [`Readback::wait`] (`docs/results/library.md`).
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
/// let (value, index): (f32, u32) = largest.results(&mailbox.spin(&device)?)?;
/// # assert_eq!((value, index), (9.5, 1));
/// # Ok(())
/// # }
/// # run().unwrap();
/// ```
#[derive(Debug)]
pub struct Mailbox {
    buffer: Buffer,
    /// Where the copy goes, if the host cannot read the buffer itself.
    copy: Option<Readback>,
    size: u64,
}

impl Mailbox {
    /// Allocates room for `size` bytes, rounded up to whole words of four; without [`Features::MAPPABLE_PRIMARY_BUFFERS`] twice.
    pub fn new(device: &Device, size: u64) -> Self {
        let direct = device.features().contains(Features::MAPPABLE_PRIMARY_BUFFERS);
        let reading = if direct { BufferUsages::MAP_READ } else { BufferUsages::COPY_SRC };
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("halofold::read::mailbox"),
            size: size.next_multiple_of(4).max(4),
            usage: BufferUsages::STORAGE | BufferUsages::COPY_DST | reading,
            mapped_at_creation: false,
        });
        Mailbox { buffer, copy: (!direct).then(|| Readback::new(device, size)), size }
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
    /// None that a mailbox's own buffers could give.
    pub fn encode(&self, encoder: &mut CommandEncoder) -> Result<(), ReadError> {
        match &self.copy {
            Some(copy) => copy.encode(encoder, &self.buffer, 0, self.buffer.size()),
            None => Ok(()),
        }
    }

    /// The bytes, all that there is room for, once everything submitted so far is done. Blocks and keeps a core busy until then, without
    /// a limit of time: for results that are near. Afterwards the mailbox takes the next result.
    ///
    /// # Errors
    ///
    /// If the device is lost or the buffer cannot be mapped: a [`Mailbox::read`] may not be over.
    pub fn spin(&self, device: &Device) -> Result<Vec<u8>, ReadError> {
        const WAITING: u8 = 0;
        const MAPPED: u8 = 1;
        const FAILED: u8 = 2;
        let buffer = self.copy.as_ref().map_or(&self.buffer, Readback::buffer);
        let state = Arc::new(AtomicU8::new(WAITING));
        let sender = state.clone();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            sender.store(if result.is_ok() { MAPPED } else { FAILED }, Ordering::Release);
        });
        loop {
            device.poll(wgpu::PollType::Poll).map_err(|error| ReadError::Device(error.to_string()))?;
            match state.load(Ordering::Acquire) {
                MAPPED => return take(buffer, self.size),
                FAILED => return Err(ReadError::Map("the device refused to map the mailbox".to_owned())),
                _ => std::hint::spin_loop(),
            }
        }
    }

    /// The same without a busy core: completes once the work is done and the device has been polled, by somebody else. It asks for
    /// the bytes when it is first polled.
    ///
    /// # Errors
    ///
    /// If the buffer cannot be mapped.
    pub async fn read(&self) -> Result<Vec<u8>, ReadError> {
        match &self.copy {
            Some(copy) => copy.read(self.size).await,
            None => Readback::over(&self.buffer).read(self.size).await,
        }
    }
}
