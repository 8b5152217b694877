//! Reading results back to the host. This is separate from recording, because it waits.
//!
//! The order is: record the work, record the copy ([`Readback::encode`], [`Mailbox::encode`]), submit, and only then request the bytes. The bytes are
//! as the GPU wrote them, little-endian; [`Op::read`](crate::reduce::Op::read) converts them to results. From the request until the bytes are taken,
//! the buffer belongs to the host: no submission may use it, and recording a copy to it returns [`ReadError::Busy`].
//!
//! | method | use |
//! |---|---|
//! | [`Readback::wait`] | tools and tests: blocks and sleeps |
//! | [`Readback::wait_into`] | the same, into memory of yours |
//! | [`Mailbox::spin`] | a small result that arrives soon: blocks and keeps a core busy |
//! | [`Readback::read`]`.await` | asynchronous programs, browsers |
//! | [`Reading::try_take`] | a frame loop: never blocks |
//! | [`wait_for`] | one submission, while later ones run: for buffers that a program maps itself |
//!
//! A frame loop requests the bytes once, checks in every frame whether they have arrived, and then makes the next request:
//!
//! ```
//! use halofold::read::{ReadError, Readback, Reading};
//! use halofold::wgpu;
//!
//! /// The latest value of a word on the GPU that has reached the host. It is a few frames old.
//! struct Newest {
//!     readback: Readback,
//!     reading: Option<Reading>,
//!     value: u32,
//! }
//!
//! impl Newest {
//!     /// Takes the bytes if they have arrived. If no request is pending, this frame's commands end with a copy.
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
//! # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return };
//! # let source = buffer(&[0; 4]);
//! # let mut newest = Newest { readback: Readback::new(&device, 4), reading: None, value: 0 };
//! # let mut frame = 0u32;
//! # while newest.value < 3 {
//! #     frame += 1;
//! #     queue.write_buffer(&source, 0, bytemuck::bytes_of(&frame));
//! #     newest.frame(&queue, device.create_command_encoder(&Default::default()), &source).unwrap();
//! # }
//! # assert!(newest.value <= frame);
//! ```

mod mailbox;
mod readback;
mod reading;

pub use mailbox::Mailbox;
pub use readback::Readback;
pub(crate) use readback::submit;
pub use reading::{Reading, poll, wait_for};

/// Errors of reading a result.
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
        "{size} bytes from byte {offset} of a buffer of {source_size} bytes, to {room} bytes: one of the two is too short"
    )]
    TooShort {
        /// The offset of the copy in its source, in bytes.
        offset: u64,
        /// Bytes to copy.
        size: u64,
        /// The size of the buffer to read, in bytes.
        source_size: u64,
        /// Bytes of the readback after the copy's destination offset.
        room: u64,
    },
    /// A copy that does not start and end at a multiple of four bytes.
    #[error("{size} bytes from byte {offset}, to byte {at}: a copy takes only multiples of 4")]
    Misaligned {
        /// The offset of the copy in the readback, in bytes.
        at: u64,
        /// The offset of the copy in its source, in bytes.
        offset: u64,
        /// Bytes to copy.
        size: u64,
    },
    /// A readback or mailbox that is larger than the device's largest buffer. All its methods return this error.
    #[error(
        "room for {size} bytes: a buffer of this device has at most {limit} (max_buffer_size); read in pieces"
    )]
    TooLarge {
        /// The size requested, in bytes.
        size: u64,
        /// The size of the device's largest buffer, in bytes.
        limit: u64,
    },
    /// An earlier request holds the buffer.
    #[error("an earlier request still holds the buffer: take its bytes, or drop it")]
    Busy,
    /// The bytes of the request have already been taken.
    #[error("the bytes of this request have already been taken: make another request")]
    Taken,
    /// A blocking call in a browser, where nothing arrives while the program waits.
    #[error(
        "a program in a browser cannot wait for the GPU: await `read` or `run_async`, or call `try_take`"
    )]
    Browser,
    /// More bytes were requested than the readback has.
    #[error("{size} bytes of a readback of {room}: ask for less, or make it larger")]
    Room {
        /// Bytes requested.
        size: u64,
        /// Bytes that the readback has.
        room: u64,
    },
    /// The buffer could not be mapped.
    #[error("the buffer could not be mapped: {0}")]
    Map(String),
}
