//! Results on the host: any number of bytes comes back, and wrong requests are errors that leave a readback as it was.

use std::iter::repeat_with;
use std::pin::Pin;
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use crate::common::{Gpu, buffer, without};
use crate::refusals;
use halofold::read::{Mailbox, ReadError, Readback, Reading};
use halofold::wgpu::{self, BufferUsages, Features};

const BYTES: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// A device whose mailboxes are read as they are, where it can, and one whose mailboxes are copied.
fn devices() -> [Gpu; 2] {
    [Features::empty(), Features::MAPPABLE_PRIMARY_BUFFERS].map(without)
}

/// A readback with room for `size` bytes, to which the bytes are on their way.
fn filled(gpu: &Gpu, size: u64) -> Readback {
    let readback = Readback::new(&gpu.device, size);
    let source = buffer(gpu, &BYTES, BufferUsages::COPY_SRC);
    gpu.submit(|encoder| readback.encode(encoder, &source, 0, 8).unwrap());
    readback
}

fn poll(gpu: &Gpu) {
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
}

#[test]
fn any_number_of_bytes_comes_back() {
    for gpu in devices() {
        let readback = filled(&gpu, 7);
        for size in [0, 1, 2, 6, 7, 8] {
            assert_eq!(readback.wait(size).unwrap(), BYTES[..size as usize]);
            let read = readback.read(size);
            poll(&gpu);
            assert_eq!(pollster::block_on(read).unwrap(), BYTES[..size as usize]);
        }
        for size in [0, 1, 2, 4, 6] {
            let mailbox = Mailbox::new(&gpu.device, size);
            for _ in 0..2 {
                gpu.submit(|encoder| mailbox.encode(encoder).unwrap());
                assert_eq!(mailbox.spin().unwrap(), vec![0; size as usize]);
            }
        }
    }
}

#[test]
fn bytes_arrive_in_the_callers_memory() {
    for gpu in devices() {
        let readback = filled(&gpu, 8);
        let mut pairs = [[0u16; 2]; 2];
        readback.wait_into(&mut pairs).unwrap();
        assert_eq!(pairs, bytemuck::cast::<_, [[u16; 2]; 2]>(BYTES));
        let mut long = [0u32; 3];
        assert_eq!(readback.wait_into(&mut long).unwrap_err(), ReadError::Room { size: 12, room: 8 });
    }
}

#[test]
fn wrong_requests_are_errors_and_harmless() {
    for gpu in devices() {
        let readback = Readback::new(&gpu.device, 8);
        let [source, bare] =
            [BufferUsages::COPY_SRC, BufferUsages::STORAGE].map(|usage| buffer(&gpu, &BYTES, usage));
        gpu.submit(|encoder| {
            let mut refused =
                |at, from, offset, size| readback.encode_behind(at, encoder, from, offset, size).unwrap_err();
            refusals::check([
                (refused(0, &source, 0, 6), "Misaligned", ""),
                (refused(0, &source, 2, 4), "Misaligned", ""),
                (refused(1, &source, 0, 4), "Misaligned", ""),
                (refused(0, &source, source.size() - 4, 8), "TooShort", ""),
                (refused(0, &bare, 0, 8), "Usage", ""),
                (refused(4, &source, 0, 8), "TooShort", "4"),
            ]);
            readback.encode(encoder, &source, 0, 8).unwrap();
        });
        let error = pollster::block_on(readback.read(u64::MAX)).unwrap_err();
        assert_eq!(error, ReadError::Room { size: u64::MAX, room: 8 });
        assert_eq!(readback.wait(9).unwrap_err(), ReadError::Room { size: 9, room: 8 });
        assert_eq!(readback.wait(8).unwrap(), BYTES);

        // More than a buffer may have: every use says so, and nothing else happens.
        for size in [u64::MAX, u64::MAX - 2, gpu.device.limits().max_buffer_size + 1] {
            let (readback, mailbox) = (Readback::new(&gpu.device, size), Mailbox::new(&gpu.device, size));
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let errors = [
                readback.encode(&mut encoder, &source, 0, 8).unwrap_err(),
                readback.wait(8).unwrap_err(),
                readback.read(8).try_take().unwrap_err(),
                mailbox.encode(&mut encoder).unwrap_err(),
                mailbox.spin().unwrap_err(),
                pollster::block_on(mailbox.read()).unwrap_err(),
            ];
            refusals::check(errors.map(|error| (error, "", "max_buffer_size")));
            assert_eq!(mailbox.buffer().size(), 4);
        }
    }
}

/// A frame loop asks once, looks in every frame, and takes the bytes when they are there. A second request meanwhile is refused and
/// leaves the first one alone. A request may be dropped before its end.
#[test]
fn one_request_at_a_time() {
    for gpu in devices() {
        let readback = filled(&gpu, 8);
        let source = buffer(&gpu, &BYTES, BufferUsages::COPY_SRC);
        let busy = |result: Result<(), ReadError>| assert_eq!(result, Err(ReadError::Busy));
        for polled in [false, true] {
            let given_up = readback.read(8);
            busy(readback.wait(8).map(drop));
            gpu.submit(|encoder| busy(readback.encode(encoder, &source, 0, 8)));
            if polled {
                poll(&gpu);
            }
            drop(given_up);
            gpu.submit(|encoder| readback.encode(encoder, &source, 0, 8).unwrap());
        }
        let look = |reading: &mut Reading| repeat_with(|| reading.try_take().unwrap()).find_map(|one| one);
        let mut reading = readback.read(6);
        busy(readback.read(6).try_take().map(drop));
        assert_eq!(look(&mut reading).unwrap(), BYTES[..6]);
        assert_eq!(reading.try_take(), Err(ReadError::Taken));
        assert_eq!(pollster::block_on(reading), Err(ReadError::Taken));
        assert_eq!(readback.wait(8).unwrap(), BYTES);

        let mailbox = Mailbox::new(&gpu.device, 8);
        gpu.queue.write_buffer(mailbox.buffer(), 0, &BYTES);
        gpu.submit(|encoder| mailbox.encode(encoder).unwrap());
        let mut reading = mailbox.read();
        gpu.submit(|encoder| busy(mailbox.encode(encoder)));
        assert_eq!(look(&mut reading).unwrap(), BYTES);
        gpu.submit(|encoder| mailbox.encode(encoder).unwrap());
    }
}

/// A request for bytes, as an executor keeps it.
type Request = Pin<Box<dyn Future<Output = Result<Vec<u8>, ReadError>> + Send>>;

/// A task that is gone as soon as it is woken, as on an executor that runs tasks where they are woken, or is shutting down.
struct GoneWhenWoken(Mutex<Option<Request>>);

impl Wake for GoneWhenWoken {
    fn wake(self: Arc<Self>) {
        drop(self.0.lock().unwrap().take());
    }
}

#[test]
fn waking_may_end_the_task() {
    // In a thread of its own: what goes wrong here does not come back.
    let (sender, done) = mpsc::channel();
    let devices = devices();
    std::thread::spawn(move || {
        for gpu in devices {
            let readback = filled(&gpu, 8);
            let task = Arc::new(GoneWhenWoken(Mutex::new(Some(Box::pin(readback.read(8))))));
            let waker = Waker::from(task.clone());
            let polled =
                task.0.lock().unwrap().as_mut().unwrap().as_mut().poll(&mut Context::from_waker(&waker));
            assert!(matches!(polled, Poll::Pending));
            poll(&gpu);
            assert!(task.0.lock().unwrap().is_none(), "no task was woken");
            assert_eq!(readback.wait(8).unwrap(), BYTES);
        }
        sender.send(()).unwrap();
    });
    done.recv_timeout(Duration::from_secs(60)).expect("the thread comes to its end");
}
