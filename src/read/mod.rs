//! Reading results back to the host: apart from recording, because it waits.
//!
//! The order is: record the work, record the copy ([`Readback::encode`], [`Mailbox::encode`]), submit, and only then ask for the
//! bytes. Bytes are as the GPU wrote them, little-endian; [`Op::read`](crate::reduce::Op::read) makes results of them. While bytes are
//! asked for and not there yet, their buffer belongs to the host: no submission may use it, or wgpu reports an error of its own.

mod mailbox;

pub use mailbox::Mailbox;

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::task::{Context, Poll, Waker};

use wgpu::{Buffer, BufferUsages, CommandEncoder, Device};

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

/// A buffer the host can read, to copy results into: again and again, one request for its bytes at a time.
#[derive(Debug)]
pub struct Readback {
    buffer: Buffer,
}

impl Readback {
    /// Allocates room for `size` bytes, rounded up to whole words of four.
    pub fn new(device: &Device, size: u64) -> Self {
        Readback {
            buffer: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("halofold::read::readback"),
                size: size.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT).max(wgpu::COPY_BUFFER_ALIGNMENT),
                usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
        }
    }

    /// Over a buffer with [`BufferUsages::MAP_READ`] that is filled in another way than by a copy.
    fn over(buffer: &Buffer) -> Self {
        Readback { buffer: buffer.clone() }
    }

    /// What copies go to, and what is mapped.
    fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Records the copy of `size` bytes from byte `offset` of `source` on, both multiples of four. Allocates nothing.
    ///
    /// # Errors
    ///
    /// If `source` lacks [`BufferUsages::COPY_SRC`], one of the two buffers is too short, or a number is no multiple of four.
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
        if !source.usage().contains(BufferUsages::COPY_SRC) {
            return Err(ReadError::Usage);
        }
        if [at, offset, size].iter().any(|bytes| !bytes.is_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT)) {
            return Err(ReadError::Misaligned { at, offset, size });
        }
        let fits = |start: u64, room: u64| start.checked_add(size).is_some_and(|end| end <= room);
        if !fits(offset, source.size()) || !fits(at, self.buffer.size()) {
            return Err(ReadError::TooShort {
                offset,
                size,
                source_size: source.size(),
                room: self.buffer.size().saturating_sub(at),
            });
        }
        encoder.copy_buffer_to_buffer(source, offset, &self.buffer, at, size);
        Ok(())
    }

    /// Waits for everything submitted, by whomever, and returns the first `size` bytes: any number up to what there is room for.
    /// Blocks, asleep and without a limit of time; for tools. In a browser only [`Readback::read`] works.
    ///
    /// # Errors
    ///
    /// If there are fewer bytes, the device is lost, or the buffer cannot be mapped: a [`Readback::read`] may not be over.
    pub fn wait(&self, device: &Device, size: u64) -> Result<Vec<u8>, ReadError> {
        mapped(device, &self.buffer, size)
    }

    /// The same without blocking: asks for the bytes now, and completes once the work is done and the device
    /// has been polled (or, in a browser, on its own). It does not poll: something else has to, a submission or
    /// [`wgpu::Device::poll`].
    ///
    /// The future does not borrow the readback. Dropped before its end it gives the buffer back.
    ///
    /// # Errors
    ///
    /// If there are fewer bytes, or the buffer cannot be mapped: an earlier request may not be over.
    pub fn read(&self, size: u64) -> impl Future<Output = Result<Vec<u8>, ReadError>> + use<> {
        let asked = holds(&self.buffer, size).map(|()| Asked::of(&self.buffer));
        async move {
            let mut asked = asked?;
            poll_fn(|context| Signal::poll(&asked.signal, context))
                .await
                .map_err(|error| ReadError::Map(error.to_string()))?;
            asked.is_over = true;
            take(&asked.buffer, size)
        }
    }
}

/// A buffer that was asked for. If nobody waits for it any longer, it goes back.
struct Asked {
    buffer: Buffer,
    signal: Arc<Mutex<Signal>>,
    is_over: bool,
}

impl Asked {
    fn of(buffer: &Buffer) -> Self {
        let signal = Arc::new(Mutex::new(Signal { result: None, waker: None, is_refused: false }));
        let sender = signal.clone();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| Signal::set(&sender, result));
        Asked { buffer: buffer.clone(), signal, is_over: false }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        // One that was refused is in the hands of an earlier request.
        let is_refused = lock(&self.signal).is_refused;
        if !self.is_over && !is_refused {
            self.buffer.unmap();
        }
    }
}

/// Waits for everything submitted and returns the first `size` bytes of a buffer with [`BufferUsages::MAP_READ`].
pub(crate) fn mapped(device: &Device, buffer: &Buffer, size: u64) -> Result<Vec<u8>, ReadError> {
    holds(buffer, size)?;
    let (sender, receiver) = mpsc::channel();
    buffer.map_async(wgpu::MapMode::Read, .., move |result| {
        // The receiver waits below, unless the device was lost first.
        let _ = sender.send(result);
    });
    device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| ReadError::Device(error.to_string()))?;
    // The callback may be running on another thread that polled at the same time: wait for it.
    match receiver.recv() {
        Ok(Ok(())) => take(buffer, size),
        Ok(Err(error)) => Err(ReadError::Map(error.to_string())),
        Err(_) => Err(ReadError::Device("it was lost before the buffer was mapped".to_owned())),
    }
}

/// A buffer has room for as many bytes as are asked for.
fn holds(buffer: &Buffer, size: u64) -> Result<(), ReadError> {
    let room = buffer.size();
    if size > room { Err(ReadError::Room { size, room }) } else { Ok(()) }
}

/// Copies the bytes out of a mapped buffer that holds them, and unmaps it.
fn take(buffer: &Buffer, size: u64) -> Result<Vec<u8>, ReadError> {
    // Whole words are mapped, and buffers here are whole words long.
    let words = size.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
    let bytes = buffer.get_mapped_range(..words).map(|range| range[..size as usize].to_vec());
    buffer.unmap();
    bytes.map_err(|error| ReadError::Map(error.to_string()))
}

/// A result on its way from wgpu's callback to the future that waits for it.
struct Signal {
    result: Option<Result<(), wgpu::BufferAsyncError>>,
    waker: Option<Waker>,
    /// Whether it was a refusal, also once it has been taken.
    is_refused: bool,
}

impl Signal {
    fn set(signal: &Mutex<Signal>, result: Result<(), wgpu::BufferAsyncError>) {
        let waker = {
            let mut signal = lock(signal);
            signal.is_refused = result.is_err();
            signal.result = Some(result);
            signal.waker.take()
        };
        // Not under the lock: waking may poll the future or drop it at once, which takes the lock.
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn poll(signal: &Mutex<Signal>, context: &mut Context<'_>) -> Poll<Result<(), wgpu::BufferAsyncError>> {
        let mut signal = lock(signal);
        match signal.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                signal.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// A signal is consistent even if a thread panicked while it held the lock.
fn lock(signal: &Mutex<Signal>) -> MutexGuard<'_, Signal> {
    signal.lock().unwrap_or_else(PoisonError::into_inner)
}
