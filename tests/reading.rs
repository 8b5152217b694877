//! Results on the host: any number of bytes comes back, and wrong requests are errors that leave a readback as it was.

use std::pin::Pin;
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use halofold::read::{Mailbox, ReadError, Readback};
use halofold::wgpu;
use wgpu::util::DeviceExt as _;

const BYTES: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// A device whose mailboxes are read as they are, where it can, and one whose mailboxes are copied.
fn devices() -> [(wgpu::Device, wgpu::Queue); 2] {
    [wgpu::Features::MAPPABLE_PRIMARY_BUFFERS, wgpu::Features::empty()].map(|features| {
        let adapter = pollster::block_on(halofold::adapter::preferred(true)).expect("an adapter");
        pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: adapter.features() & features,
            required_limits: wgpu::Limits::downlevel_defaults(),
            ..Default::default()
        }))
        .expect("a device")
    })
}

fn source(device: &wgpu::Device) -> wgpu::Buffer {
    device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: None,
        contents: &BYTES,
        usage: wgpu::BufferUsages::COPY_SRC,
    })
}

#[test]
fn part_of_a_word_comes_back() {
    for (device, queue) in devices() {
        let readback = Readback::new(&device, 7);
        let mut encoder = device.create_command_encoder(&Default::default());
        readback.encode(&mut encoder, &source(&device), 0, 8).unwrap();
        queue.submit([encoder.finish()]);
        for size in [0, 1, 2, 6, 7, 8] {
            assert_eq!(readback.wait(&device, size).unwrap(), BYTES[..size as usize]);
            let read = readback.read(size);
            device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
            assert_eq!(pollster::block_on(read).unwrap(), BYTES[..size as usize]);
        }
    }
}

#[test]
fn mailboxes_have_any_size() {
    for (device, queue) in devices() {
        for size in [0, 1, 2, 4, 6] {
            let mailbox = Mailbox::new(&device, size);
            for _ in 0..2 {
                let mut encoder = device.create_command_encoder(&Default::default());
                mailbox.encode(&mut encoder).unwrap();
                queue.submit([encoder.finish()]);
                assert_eq!(mailbox.spin(&device).unwrap(), vec![0; size as usize]);
            }
        }
    }
}

#[test]
fn wrong_requests_are_errors_and_harmless() {
    for (device, queue) in devices() {
        let readback = Readback::new(&device, 8);
        let source = source(&device);
        let mut encoder = device.create_command_encoder(&Default::default());
        for (at, offset, size) in [(0, 0, 6), (0, 2, 4), (1, 0, 4)] {
            let error = readback.encode_behind(at, &mut encoder, &source, offset, size).unwrap_err();
            assert!(matches!(error, ReadError::Misaligned { .. }), "{error}");
        }
        let error = readback.encode_behind(4, &mut encoder, &source, 0, 8).unwrap_err();
        assert!(matches!(error, ReadError::TooShort { room: 4, .. }), "{error}");
        readback.encode(&mut encoder, &source, 0, 8).unwrap();
        queue.submit([encoder.finish()]);
        let error = readback.wait(&device, 9).unwrap_err();
        assert!(matches!(error, ReadError::Room { size: 9, room: 8 }), "{error}");
        let error = pollster::block_on(readback.read(u64::MAX)).unwrap_err();
        assert!(matches!(error, ReadError::Room { .. }), "{error}");
        assert_eq!(readback.wait(&device, 8).unwrap(), BYTES);
    }
}

#[test]
fn nobody_has_to_wait_to_the_end() {
    for (device, queue) in devices() {
        let readback = Readback::new(&device, 8);
        let source = source(&device);
        for polled in [false, true] {
            let mut encoder = device.create_command_encoder(&Default::default());
            readback.encode(&mut encoder, &source, 0, 8).unwrap();
            queue.submit([encoder.finish()]);
            let given_up = readback.read(8);
            // A second request while one is under way is refused and leaves the first one alone.
            assert!(matches!(readback.wait(&device, 8), Err(ReadError::Map(_))));
            if polled {
                device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
            }
            drop(given_up);
        }
        let first = readback.read(8);
        drop(readback.read(4));
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        assert_eq!(pollster::block_on(first).unwrap(), BYTES);
        assert_eq!(readback.wait(&device, 8).unwrap(), BYTES);
    }
}

/// A request for bytes, as an executor keeps it.
type Request = Pin<Box<dyn Future<Output = Result<Vec<u8>, ReadError>> + Send>>;

/// A task that is gone as soon as it is woken: what an executor does that runs tasks where they are woken, or is shutting down.
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
    std::thread::spawn(move || {
        for (device, queue) in devices() {
            let readback = Readback::new(&device, 8);
            let mut encoder = device.create_command_encoder(&Default::default());
            readback.encode(&mut encoder, &source(&device), 0, 8).unwrap();
            queue.submit([encoder.finish()]);
            let task = Arc::new(GoneWhenWoken(Mutex::new(Some(Box::pin(readback.read(8))))));
            let waker = Waker::from(task.clone());
            let polled =
                task.0.lock().unwrap().as_mut().unwrap().as_mut().poll(&mut Context::from_waker(&waker));
            assert!(matches!(polled, Poll::Pending));
            device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
            assert!(task.0.lock().unwrap().is_none(), "nobody was woken");
            assert_eq!(readback.wait(&device, 8).unwrap(), BYTES);
        }
        sender.send(()).unwrap();
    });
    done.recv_timeout(Duration::from_secs(60)).expect("the thread comes to its end");
}
