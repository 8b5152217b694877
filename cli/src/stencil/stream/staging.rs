//! Kept buffers between the host and the GPU: mapped, filled or read where they lie, and mapped again.

use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;

use halofold::wgpu::{
    self, Buffer, BufferAsyncError, BufferUsages, BufferView, Device, MapMode, SubmissionIndex,
};

use super::StreamError;

/// A buffer that is the host's while it is mapped, and the GPU's from [`Staging::unmap`] until [`Staging::wait`].
pub(super) struct Staging {
    buffer: Buffer,
    /// wgpu's answer to the request to map it.
    answer: Option<Receiver<Result<(), BufferAsyncError>>>,
}

impl Staging {
    /// A buffer that the host fills; it is mapped.
    pub fn upload(device: &Device, bytes: u64) -> Self {
        Self::new(device, bytes, BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC, true)
    }

    /// A buffer that the host reads.
    pub fn download(device: &Device, bytes: u64) -> Self {
        Self::new(device, bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST, false)
    }

    fn new(device: &Device, bytes: u64, usage: BufferUsages, mapped_at_creation: bool) -> Self {
        let size = bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        let label = Some("halofold streamed staging");
        let buffer = device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation });
        Staging { buffer, answer: None }
    }

    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Fills it with some bytes of each of these ranges, in order, which `read` gets piece by piece.
    pub fn write(
        &self,
        ranges: impl Iterator<Item = Range<u64>>,
        piece: &mut Vec<u8>,
        mut read: impl FnMut(u64, &mut [u8]) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        let view = self.buffer.get_mapped_range_mut(..);
        let mut view = view.map_err(|error| StreamError::Device(error.to_string()))?;
        let mut at = 0;
        for range in ranges {
            for start in range.clone().step_by(PIECE as usize) {
                piece.resize(PIECE.min(range.end - start) as usize, 0);
                read(start, piece)?;
                view.slice(at..at + piece.len()).copy_from_slice(piece);
                at += piece.len();
            }
        }
        Ok(())
    }

    /// The bytes of it.
    pub fn view(&self) -> Result<BufferView, StreamError> {
        self.buffer.get_mapped_range(..).map_err(|error| StreamError::Device(error.to_string()))
    }

    /// Leaves it to the GPU.
    pub fn unmap(&self) {
        self.buffer.unmap();
    }

    /// Asks to map it once what was submitted with it is done.
    pub fn ask(&mut self, mode: MapMode) {
        let (answer, answered) = mpsc::sync_channel(1);
        self.buffer.map_async(mode, .., move |result| {
            // Nobody waits for it any more after an error.
            let _ = answer.send(result);
        });
        self.answer = Some(answered);
    }

    /// Waits until it is mapped again, after the submission that used it.
    pub fn wait(&mut self, device: &Device, after: &SubmissionIndex) -> Result<(), StreamError> {
        let Some(answer) = self.answer.take() else { return Ok(()) };
        let submission = wgpu::PollType::Wait { submission_index: Some(after.clone()), timeout: None };
        poll(device, submission)?;
        loop {
            match answer.try_recv() {
                Ok(result) => return result.map_err(|error| StreamError::Device(error.to_string())),
                Err(TryRecvError::Disconnected) => {
                    return Err(StreamError::Device("it answers no more".to_owned()));
                }
                Err(TryRecvError::Empty) => {
                    poll(device, wgpu::PollType::Poll)?;
                    thread::yield_now();
                }
            }
        }
    }
}

/// How much is read from a file at once: little enough that it is still in the cache when it is copied on.
const PIECE: u64 = 1 << 20;

/// Polls a device. Where the driver says that it is lost wgpu panics; here that is an error.
fn poll(device: &Device, how: wgpu::PollType) -> Result<(), StreamError> {
    match panic::catch_unwind(AssertUnwindSafe(|| device.poll(how))) {
        // GL waits only a few seconds; the caller asks again.
        Ok(Ok(_) | Err(wgpu::PollError::Timeout)) => Ok(()),
        Ok(Err(error)) => Err(StreamError::Device(error.to_string())),
        Err(_) => Err(StreamError::Device("it was lost".to_owned())),
    }
}

/// A range of bytes, widened to the words that a copy takes.
pub(super) fn words(bytes: Range<u64>) -> Range<u64> {
    let word = wgpu::COPY_BUFFER_ALIGNMENT;
    bytes.start / word * word..bytes.end.next_multiple_of(word)
}
