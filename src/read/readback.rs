//! Results on the host by a copy: of any size, from any buffer.

use wgpu::{Buffer, BufferUsages, CommandEncoder, Device};

use super::mappable::Mappable;
use super::{ReadError, Reading};

/// A buffer the host can read, to copy results into: again and again, one request for its bytes at a time.
///
/// It keeps the device. `Send` and `Sync`.
#[derive(Debug)]
pub struct Readback {
    room: Result<Mappable, ReadError>,
}

impl Readback {
    /// Allocates room for `size` bytes, rounded up to whole words of four. Where that is more than a buffer of the device may have,
    /// nothing is allocated, and whatever the readback is used for is [`ReadError::TooLarge`].
    pub fn new(device: &Device, size: u64) -> Self {
        Readback { room: Mappable::new(device, "halofold::read::readback", size, BufferUsages::COPY_DST) }
    }

    fn room(&self) -> Result<&Mappable, ReadError> {
        self.room.as_ref().map_err(Clone::clone)
    }

    /// Records the copy of `size` bytes from byte `offset` of `source` on, both multiples of four. Allocates nothing.
    ///
    /// # Errors
    ///
    /// If `source` lacks [`BufferUsages::COPY_SRC`], one of the two buffers is too short, a number is no multiple of four, or an
    /// earlier [`Reading`] has the buffer still.
    pub fn encode(
        &self,
        encoder: &mut CommandEncoder,
        source: &Buffer,
        offset: u64,
        size: u64,
    ) -> Result<(), ReadError> {
        self.encode_behind(0, encoder, source, offset, size)
    }

    /// The same behind the first `at` bytes of the readback, so that it gathers several results; `at` is a multiple of four too.
    ///
    /// # Errors
    ///
    /// As [`Readback::encode`].
    pub fn encode_behind(
        &self,
        at: u64,
        encoder: &mut CommandEncoder,
        source: &Buffer,
        offset: u64,
        size: u64,
    ) -> Result<(), ReadError> {
        let room = self.room()?;
        room.check_free()?;
        if !source.usage().contains(BufferUsages::COPY_SRC) {
            return Err(ReadError::Usage);
        }
        if [at, offset, size].iter().any(|bytes| !bytes.is_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT)) {
            return Err(ReadError::Misaligned { at, offset, size });
        }
        let target = room.buffer();
        let fits = |start: u64, room: u64| start.checked_add(size).is_some_and(|end| end <= room);
        if !fits(offset, source.size()) || !fits(at, target.size()) {
            return Err(ReadError::TooShort {
                offset,
                size,
                source_size: source.size(),
                room: target.size().saturating_sub(at),
            });
        }
        encoder.copy_buffer_to_buffer(source, offset, target, at, size);
        Ok(())
    }

    /// Waits for everything submitted, by whomever, and returns the first `size` bytes: any number up to what there is room for.
    /// Blocks, asleep and without a limit of time; for tools.
    ///
    /// # Errors
    ///
    /// If there are fewer bytes, the device is lost, or an earlier [`Reading`] has the buffer still; in a browser, where only
    /// [`Readback::read`] works.
    pub fn wait(&self, size: u64) -> Result<Vec<u8>, ReadError> {
        self.read(size).wait()
    }

    /// Asks for the first `size` bytes now, without blocking: the answer is a future, and something to
    /// [look at](Reading::try_take) in a frame loop.
    ///
    /// The request does not borrow the readback. Dropped before its end it gives the buffer back. What is wrong with it, fewer bytes or
    /// an earlier request under way, it says when it is looked at.
    pub fn read(&self, size: u64) -> Reading {
        match self.room() {
            Ok(room) => room.ask(size),
            Err(error) => Reading::refused(error),
        }
    }
}
