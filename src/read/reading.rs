//! A request for bytes, and its answer on the way from wgpu's callback to whoever asked.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use wgpu::{Buffer, Device};

use super::ReadError;
use crate::binding::quietly;

/// Bytes that were asked for, by [`Readback::read`](super::Readback::read) or [`Mailbox::read`](super::Mailbox::read).
///
/// A future, for asynchronous programs: it completes once the work is done and the device has been polled (or, in a browser, on its
/// own). It does not poll: something else has to, a submission or [`wgpu::Device::poll`]. And something to look at now and then, by
/// [`Reading::try_take`], for frame loops.
///
/// Dropped before its end it gives the buffer back. If the device is lost, its answer is an error.
#[derive(Debug)]
#[must_use = "bytes come to whoever awaits them, or takes them"]
pub struct Reading {
    /// What was asked for, or why not; once the answer is known, that there is nothing more.
    asked: Result<Asked, ReadError>,
}

impl Reading {
    /// Asks for the first `size` bytes of a buffer that nobody else has.
    pub(super) fn of(device: &Device, buffer: &Buffer, size: u64, is_asked: Arc<AtomicBool>) -> Self {
        let signal = Arc::new(Mutex::new(Signal::default()));
        let answer = Answer(Some(signal.clone()));
        quietly(device, || {
            buffer.map_async(wgpu::MapMode::Read, .., move |result| {
                answer.set(result.map_err(|error| ReadError::Map(error.to_string())));
            });
        });
        Reading {
            asked: Ok(Asked { device: device.clone(), buffer: buffer.clone(), size, is_asked, signal }),
        }
    }

    pub(super) fn refused(error: ReadError) -> Self {
        Reading { asked: Err(error) }
    }

    /// The bytes, if they are there: `None` if not yet. Never blocks. It polls the device once, so that nothing else has to.
    ///
    /// # Errors
    ///
    /// If fewer bytes were there than asked for, an earlier request had the buffer, or the device is lost; and once the bytes have been
    /// taken.
    pub fn try_take(&mut self) -> Result<Option<Vec<u8>>, ReadError> {
        if let Some(answer) = self.answer(None) {
            return answer.map(Some);
        }
        self.poll_device(wgpu::PollType::Poll)?;
        self.answer(None).transpose()
    }

    /// Waits for everything submitted.
    pub(super) fn wait(mut self) -> Result<Vec<u8>, ReadError> {
        self.check_patience()?;
        self.poll_device(wgpu::PollType::wait_indefinitely())?;
        loop {
            if let Some(answer) = self.answer(None) {
                return answer;
            }
            // The callback is running on another thread that polled at the same time.
            std::thread::yield_now();
        }
    }

    /// Asks the device again and again.
    pub(super) fn spin(mut self) -> Result<Vec<u8>, ReadError> {
        self.check_patience()?;
        loop {
            if let Some(bytes) = self.try_take()? {
                return Ok(bytes);
            }
            std::hint::spin_loop();
        }
    }

    /// Nothing arrives in a browser before a program returns.
    fn check_patience(&self) -> Result<(), ReadError> {
        if cfg!(target_family = "wasm") { Err(ReadError::Browser) } else { Ok(()) }
    }

    fn poll_device(&self, how: wgpu::PollType) -> Result<(), ReadError> {
        let Ok(asked) = &self.asked else { return Ok(()) };
        loop {
            match poll(&asked.device, how.clone())? {
                // GL waits for seconds only.
                Err(wgpu::PollError::Timeout) => {}
                Err(error) => return Err(ReadError::Device(error.to_string())),
                Ok(_) => return Ok(()),
            }
        }
    }

    /// The answer, if there is one; otherwise `waker` is woken when there is.
    fn answer(&mut self, waker: Option<&Waker>) -> Option<Result<Vec<u8>, ReadError>> {
        let result = match &self.asked {
            Ok(asked) => asked.signal().take(waker)?,
            Err(error) => Err(error.clone()),
        };
        // Dropping what was asked for gives the buffer back.
        let asked = std::mem::replace(&mut self.asked, Err(ReadError::Taken));
        Some(result.and_then(|()| asked?.bytes()))
    }
}

/// What wgpu's message begins with when polling finds the device lost.
const FATAL: &str = "Error in Device::poll";

/// Polls a device. Where the driver says that it is lost, wgpu has no error value, but panics: here it is one. Other panics, as those of
/// callbacks, go on.
fn poll(
    device: &Device,
    how: wgpu::PollType,
) -> Result<Result<wgpu::PollStatus, wgpu::PollError>, ReadError> {
    let polled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| device.poll(how)));
    polled.or_else(|panic| match panic.downcast_ref::<String>() {
        Some(message) if message.starts_with(FATAL) => Err(ReadError::Device(message.clone())),
        _ => std::panic::resume_unwind(panic),
    })
}

impl Future for Reading {
    type Output = Result<Vec<u8>, ReadError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.answer(Some(context.waker())).map_or(Poll::Pending, Poll::Ready)
    }
}

/// A buffer that was asked for. Dropped, it goes back.
#[derive(Debug)]
struct Asked {
    device: Device,
    buffer: Buffer,
    size: u64,
    is_asked: Arc<AtomicBool>,
    signal: Arc<Mutex<Signal>>,
}

impl Asked {
    fn signal(&self) -> MutexGuard<'_, Signal> {
        lock(&self.signal)
    }

    /// Copies the bytes out of the buffer, which is mapped and holds them.
    fn bytes(self) -> Result<Vec<u8>, ReadError> {
        // Whole words are mapped, and buffers here are whole words long.
        let words = self.size.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        // A buffer that was mapped is there, unless it has gone with its device.
        let lost = |_| ReadError::Device("it was lost before the bytes were taken".to_owned());
        let range = self.buffer.get_mapped_range(..words).map_err(lost)?;
        Ok(range[..self.size as usize].to_vec())
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        // Also where mapping has failed: wgpu takes the buffer for mapped until then.
        quietly(&self.device, || self.buffer.unmap());
        self.is_asked.store(false, Ordering::Release);
    }
}

/// What has become of a request.
#[derive(Debug, Default)]
struct Signal {
    result: Option<Result<(), ReadError>>,
    waker: Option<Waker>,
}

impl Signal {
    fn take(&mut self, waker: Option<&Waker>) -> Option<Result<(), ReadError>> {
        let result = self.result.take();
        if result.is_none() {
            self.waker = waker.cloned();
        }
        result
    }
}

/// A signal is consistent even if a thread panicked while it held the lock.
fn lock(signal: &Mutex<Signal>) -> MutexGuard<'_, Signal> {
    signal.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The end of a signal that wgpu has. If wgpu forgets it, that is an answer as well.
struct Answer(Option<Arc<Mutex<Signal>>>);

impl Answer {
    fn set(mut self, result: Result<(), ReadError>) {
        self.give(result);
    }

    /// Gives the first answer; there is no second one.
    fn give(&mut self, result: Result<(), ReadError>) {
        let Some(signal) = self.0.take() else { return };
        let waker = {
            let mut signal = lock(&signal);
            signal.result = Some(result);
            signal.waker.take()
        };
        // Not under the lock: waking may poll the future or drop it at once, which takes the lock.
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.give(Err(ReadError::Device("it was lost before the buffer was mapped".to_owned())));
    }
}
