//! A request for bytes, and the path of its answer from wgpu's callback to the caller.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use wgpu::{Buffer, Device};

use super::ReadError;
use crate::gpu::buffers::quietly;

/// A request for bytes, made by [`Readback::read`](super::Readback::read) or [`Mailbox::read`](super::Mailbox::read).
///
/// For asynchronous programs it is a future. It completes once the work is done and the device has been polled; in a browser it completes without
/// polling. The future itself does not poll: a submission or [`wgpu::Device::poll`] must do so. Frame loops call [`Reading::try_take`] instead.
///
/// Dropping it before it completes releases the buffer. If the device is lost, it completes with an error.
#[derive(Debug)]
#[must_use = "await the bytes, or take them by `try_take`"]
pub struct Reading {
    /// The buffer and its signal, or the error of the request. Once the answer has been given, [`ReadError::Taken`].
    pub(super) asked: Result<Asked, ReadError>,
}

impl Reading {
    /// Returns the bytes, or `None` if they have not arrived yet. It never blocks. It polls the device once, so that nothing else has to.
    ///
    /// # Errors
    ///
    /// - The readback has fewer bytes than requested.
    /// - An earlier request held the buffer.
    /// - The device is lost.
    /// - The bytes have already been taken.
    pub fn try_take(&mut self) -> Result<Option<Vec<u8>>, ReadError> {
        let mut answer = self.answer(None);
        if answer.is_none() {
            self.poll_device(wgpu::PollType::Poll)?;
            answer = self.answer(None);
        }
        answer.map(|asked| asked?.read(<[u8]>::to_vec)).transpose()
    }

    /// Waits for everything submitted, and returns what `take` makes of the bytes.
    pub(crate) fn wait_with<R>(mut self, take: impl FnOnce(&[u8]) -> R) -> Result<R, ReadError> {
        check_blocking()?;
        self.poll_device(wgpu::PollType::wait_indefinitely())?;
        loop {
            if let Some(asked) = self.answer(None) {
                return asked?.read(take);
            }
            // Another thread polled at the same time and is running the callback.
            std::thread::yield_now();
        }
    }

    pub(super) fn spin(mut self) -> Result<Vec<u8>, ReadError> {
        check_blocking()?;
        loop {
            if let Some(bytes) = self.try_take()? {
                return Ok(bytes);
            }
            std::hint::spin_loop();
        }
    }

    /// Waits without blocking, and returns what `take` makes of the bytes.
    pub(crate) async fn with<R>(mut self, take: impl FnOnce(&[u8]) -> R) -> Result<R, ReadError> {
        std::future::poll_fn(|context| self.poll_answer(context)).await?.read(take)
    }

    fn poll_answer(&mut self, context: &Context<'_>) -> Poll<Result<Asked, ReadError>> {
        self.answer(Some(context.waker())).map_or(Poll::Pending, Poll::Ready)
    }

    fn poll_device(&self, how: wgpu::PollType) -> Result<(), ReadError> {
        self.asked.as_ref().map_or(Ok(()), |asked| poll_until(&asked.device, &how))
    }

    /// Returns the mapped buffer or the error, if the answer is there. Otherwise `waker` is woken when it is.
    fn answer(&mut self, waker: Option<&Waker>) -> Option<Result<Asked, ReadError>> {
        let mut result = Ok(());
        if let Ok(asked) = &self.asked {
            let mut signal = lock(&asked.signal);
            if signal.result.is_none() {
                signal.waker = waker.cloned();
            }
            result = signal.result.take()?;
        }
        // After a failure the old value is dropped, which releases the buffer.
        Some(result.and(std::mem::replace(&mut self.asked, Err(ReadError::Taken))))
    }
}

/// Waits until a submission is done, and the callbacks of the buffers that it was the last to use have run; later submissions may go on.
/// It blocks and sleeps. Unlike [`Device::poll`], it returns an error if the driver reports that the device is lost.
///
/// # Errors
///
/// - The device is lost.
/// - The program runs in a browser, which cannot wait.
pub fn wait_for(device: &Device, submission: wgpu::SubmissionIndex) -> Result<(), ReadError> {
    check_blocking()?;
    poll_until(device, &wgpu::PollType::Wait { submission_index: Some(submission), timeout: None })
}

/// Polls a device once, so that callbacks run which are due. Unlike [`Device::poll`], it returns an error if the driver reports that the device is lost.
///
/// # Errors
///
/// The device is lost.
pub fn poll(device: &Device) -> Result<(), ReadError> {
    poll_until(device, &wgpu::PollType::Poll)
}

/// Returns an error in a browser, where nothing arrives before the program returns to the event loop.
fn check_blocking() -> Result<(), ReadError> {
    if cfg!(target_family = "wasm") { Err(ReadError::Browser) } else { Ok(()) }
}

/// The start of wgpu's message when polling finds the device lost.
const FATAL: &str = "Error in Device::poll";

/// Polls a device. If the driver reports that the device is lost, wgpu panics instead of returning an error;
/// this function returns an error. Other panics, such as those of callbacks, propagate.
fn poll_until(device: &Device, how: &wgpu::PollType) -> Result<(), ReadError> {
    let polled = || std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| device.poll(how.clone())));
    loop {
        match polled() {
            // GL waits only a few seconds.
            Ok(Err(wgpu::PollError::Timeout)) => {}
            Ok(polled) => return polled.map(drop).map_err(|error| ReadError::Device(error.to_string())),
            Err(panic) => match panic.downcast_ref::<String>() {
                Some(message) if message.starts_with(FATAL) => {
                    return Err(ReadError::Device(message.clone()));
                }
                _ => std::panic::resume_unwind(panic),
            },
        }
    }
}

impl Future for Reading {
    type Output = Result<Vec<u8>, ReadError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.poll_answer(context).map(|asked| asked?.read(<[u8]>::to_vec))
    }
}

/// A buffer that a request holds. Dropping it releases the buffer.
#[derive(Debug)]
pub(super) struct Asked {
    device: Device,
    buffer: Buffer,
    size: u64,
    is_asked: Arc<AtomicBool>,
    signal: Arc<Mutex<Signal>>,
}

impl Asked {
    /// Requests the first `size` bytes of a buffer that no other request holds.
    pub(super) fn new(device: &Device, buffer: &Buffer, size: u64, is_asked: Arc<AtomicBool>) -> Self {
        let signal = Arc::new(Mutex::new(Signal::default()));
        let mut sender = Sender(Some(signal.clone()));
        quietly(device, || {
            buffer.map_async(wgpu::MapMode::Read, .., move |result| {
                sender.give(result.map_err(|error| ReadError::Map(error.to_string())));
            });
        });
        Asked { device: device.clone(), buffer: buffer.clone(), size, is_asked, signal }
    }

    /// Returns what `take` makes of the bytes of the mapped buffer, and releases it.
    fn read<R>(self, take: impl FnOnce(&[u8]) -> R) -> Result<R, ReadError> {
        // Whole words are mapped, and buffers here are whole words long.
        let words = self.size.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        // A mapped buffer is readable, unless its device is lost.
        let lost = |_| ReadError::Device("it was lost before the bytes were taken".to_owned());
        let range = self.buffer.get_mapped_range(..words).map_err(lost)?;
        Ok(take(&range[..self.size as usize]))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        // Also after mapping has failed: wgpu regards the buffer as mapped until it is unmapped.
        quietly(&self.device, || self.buffer.unmap());
        self.is_asked.store(false, Ordering::Release);
    }
}

/// The state of a request.
#[derive(Debug, Default)]
struct Signal {
    result: Option<Result<(), ReadError>>,
    waker: Option<Waker>,
}

/// A signal is consistent even if a thread panicked while it held the lock.
fn lock(signal: &Mutex<Signal>) -> MutexGuard<'_, Signal> {
    signal.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The end of a signal that wgpu holds. If wgpu drops it, the answer is an error.
struct Sender(Option<Arc<Mutex<Signal>>>);

impl Sender {
    /// Gives the answer, unless it has already been given.
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

impl Drop for Sender {
    fn drop(&mut self) {
        self.give(Err(ReadError::Device("it was lost before the buffer was mapped".to_owned())));
    }
}
