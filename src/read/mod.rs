//! Reading results back to the host: apart from recording, because it waits.
//!
//! The order is: record the work, record the copy ([`Readback::encode`], [`Mailbox::encode`]), submit, and only then ask for the
//! bytes. Bytes are as the GPU wrote them, little-endian; [`Op::read`](crate::reduce::Op::read) makes results of them. While bytes are
//! asked for and not taken, their buffer belongs to the host: no submission may use it, and recording a copy into it is
//! [`ReadError::Busy`].
//!
//! | how | for |
//! |---|---|
//! | [`Readback::wait`] | tools and tests: blocks, asleep |
//! | [`Mailbox::spin`] | a small result that is near: blocks, with a busy core |
//! | [`Readback::read`]`.await` | asynchronous programs, browsers |
//! | [`Reading::try_take`] | a frame loop: looks, and goes on |
//!
//! A frame loop asks once, looks in every frame, and asks anew when the bytes are there:
//!
//! ```
//! use halofold::read::{ReadError, Readback, Reading};
//! use halofold::wgpu;
//!
//! /// The newest word of a buffer that has reached the host: a few frames old.
//! struct Newest {
//!     readback: Readback,
//!     reading: Option<Reading>,
//!     value: u32,
//! }
//!
//! impl Newest {
//!     /// Takes what has arrived. If nothing is under way, this frame's commands end with another copy.
//!     fn frame(
//!         &mut self,
//!         queue: &wgpu::Queue,
//!         mut commands: wgpu::CommandEncoder,
//!         source: &wgpu::Buffer,
//!     ) -> Result<(), ReadError> {
//!         let arrived = self.reading.as_mut().map_or(Ok(None), Reading::try_take)?;
//!         if let Some(bytes) = arrived {
//!             self.value = bytemuck::pod_read_unaligned(&bytes);
//!             self.reading = None;
//!         }
//!         let asks = self.reading.is_none();
//!         if asks {
//!             self.readback.encode(&mut commands, source, 0, 4)?;
//!         }
//!         queue.submit([commands.finish()]);
//!         if asks {
//!             self.reading = Some(self.readback.read(4));
//!         }
//!         Ok(())
//!     }
//! }
//! # let opened = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs"));
//! # let Some((device, queue)) = opened else { return };
//! # let source = device.create_buffer(&wgpu::BufferDescriptor { label: None, size: 4,
//! #     usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST, mapped_at_creation: false });
//! # let mut newest = Newest { readback: Readback::new(&device, 4), reading: None, value: 0 };
//! # let mut frame = 0u32;
//! # while newest.value < 3 {
//! #     frame += 1;
//! #     queue.write_buffer(&source, 0, bytemuck::bytes_of(&frame));
//! #     newest.frame(&queue, device.create_command_encoder(&Default::default()), &source).unwrap();
//! # }
//! # assert!(newest.value <= frame);
//! ```

mod host;
mod mailbox;
mod mappable;
mod readback;
mod reading;

pub(crate) use host::submit;
pub use mailbox::Mailbox;
pub use readback::Readback;
pub use reading::Reading;

/// Why a result could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The device did not complete the work.
    #[error("the device did not complete the work: {0}")]
    Device(String),
    /// The buffer to read lacks a usage.
    #[error("the buffer to read lacks COPY_SRC: create it with that usage")]
    Usage,
    /// One of a copy's two buffers is too short.
    #[error(
        "{size} bytes from byte {offset} on of a buffer of {source_size}, into one of {room}: one of them is too short"
    )]
    TooShort {
        /// Where the copy starts, in bytes.
        offset: u64,
        /// Bytes to copy.
        size: u64,
        /// Bytes that the buffer to read has.
        source_size: u64,
        /// Bytes that the readback has from where they would go.
        room: u64,
    },
    /// A copy that does not start and end between two words of four bytes.
    #[error("{size} bytes from byte {offset} on, to byte {at} on: a copy takes multiples of 4 only")]
    Misaligned {
        /// Where in the readback the copy goes, in bytes.
        at: u64,
        /// Where it starts, in bytes.
        offset: u64,
        /// Bytes to copy.
        size: u64,
    },
    /// A readback or a mailbox larger than a buffer of the device may be. It says so whenever it is used.
    #[error(
        "room for {size} bytes: a buffer of this device has {limit} at most (max_buffer_size); read in pieces"
    )]
    TooLarge {
        /// Bytes that there should have been room for.
        size: u64,
        /// Bytes of the device's largest buffer.
        limit: u64,
    },
    /// A request for bytes is under way.
    #[error("an earlier request has the buffer still: take its bytes, or drop it")]
    Busy,
    /// A request whose bytes have been taken.
    #[error("the bytes of this request have been taken: ask again")]
    Taken,
    /// Waiting, where nothing happens while a program waits.
    #[error("a browser does nothing while a program waits: await `read`, or look at it by `try_take`")]
    Browser,
    /// More bytes asked for than there are.
    #[error("{size} bytes of a readback of {room}: ask for less, or make it larger")]
    Room {
        /// Bytes asked for.
        size: u64,
        /// Bytes that the readback has.
        room: u64,
    },
    /// The buffer could not be mapped.
    #[error("the buffer could not be mapped: {0}")]
    Map(String),
}
