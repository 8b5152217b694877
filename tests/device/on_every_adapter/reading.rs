//! Results on the host: any number of bytes comes back, and wrong requests are errors that leave a readback as it was.

use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use crate::refusals;
use halofold::read::{Mailbox, ReadError, Readback};
use halofold::wgpu;
use wgpu::util::DeviceExt as _;

const BYTES: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// One for all tests, which run side by side: drivers have not always liked to be loaded many times at once.
static ADAPTER: LazyLock<wgpu::Adapter> =
    LazyLock::new(|| pollster::block_on(halofold::adapter::preferred(true)).expect("an adapter"));

/// A device whose mailboxes are read as they are, where it can, and one whose mailboxes are copied.
fn devices() -> [(wgpu::Device, wgpu::Queue); 2] {
    [wgpu::Features::MAPPABLE_PRIMARY_BUFFERS, wgpu::Features::empty()].map(|features| {
        pollster::block_on(ADAPTER.request_device(&wgpu::DeviceDescriptor {
            required_features: ADAPTER.features() & features,
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

fn submit(device: &wgpu::Device, queue: &wgpu::Queue, record: impl FnOnce(&mut wgpu::CommandEncoder)) {
    let mut encoder = device.create_command_encoder(&Default::default());
    record(&mut encoder);
    queue.submit([encoder.finish()]);
}

/// A readback with room for `size` bytes, to which the bytes are on their way.
fn filled(device: &wgpu::Device, queue: &wgpu::Queue, size: u64) -> Readback {
    let readback = Readback::new(device, size);
    submit(device, queue, |encoder| readback.encode(encoder, &source(device), 0, 8).unwrap());
    readback
}

#[test]
fn part_of_a_word_comes_back() {
    for (device, queue) in devices() {
        let readback = filled(&device, &queue, 7);
        for size in [0, 1, 2, 6, 7, 8] {
            assert_eq!(readback.wait(size).unwrap(), BYTES[..size as usize]);
            let read = readback.read(size);
            device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
            assert_eq!(pollster::block_on(read).unwrap(), BYTES[..size as usize]);
        }
    }
}

#[test]
fn bytes_arrive_in_the_callers_memory() {
    for (device, queue) in devices() {
        let (readback, mailbox) = (filled(&device, &queue, 8), Mailbox::new(&device, 8));
        submit(&device, &queue, |encoder| {
            encoder.copy_buffer_to_buffer(&source(&device), 0, mailbox.buffer(), 0, 8);
            mailbox.encode(encoder).unwrap();
        });
        let expected: [[u16; 2]; 2] = bytemuck::cast(BYTES);
        let mut pairs = [[0u16; 2]; 2];
        readback.wait_into(&mut pairs).unwrap();
        assert_eq!(pairs, expected);
        let mut one = [[0u16; 2]];
        mailbox.spin_into(&mut one).unwrap();
        assert_eq!(one, expected[..1]);

        let mut awaited = [[0u16; 2]; 2];
        let read = readback.read_into(&mut awaited);
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        pollster::block_on(read).unwrap();
        assert_eq!(awaited, expected);

        let mut reading = readback.read(8);
        let error = reading.try_take_into(&mut one).unwrap_err();
        assert_eq!(error, ReadError::Target { size: 8, target: 4 });
        let mut taken = [0u64];
        while !reading.try_take_into(&mut taken).unwrap() {}
        assert_eq!(taken, [u64::from_ne_bytes(BYTES)]);
        assert_eq!(reading.try_take_into(&mut taken).unwrap_err(), ReadError::Taken);

        let mut long = [0u32; 3];
        assert_eq!(readback.wait_into(&mut long).unwrap_err(), ReadError::Room { size: 12, room: 8 });
        assert_eq!(mailbox.spin_into(&mut long).unwrap_err(), ReadError::Room { size: 12, room: 8 });
    }
}

#[test]
fn mailboxes_have_any_size() {
    for (device, queue) in devices() {
        for size in [0, 1, 2, 4, 6] {
            let mailbox = Mailbox::new(&device, size);
            for _ in 0..2 {
                submit(&device, &queue, |encoder| mailbox.encode(encoder).unwrap());
                assert_eq!(mailbox.spin().unwrap(), vec![0; size as usize]);
            }
        }
    }
}

#[test]
fn wrong_requests_are_errors_and_harmless() {
    for (device, queue) in devices() {
        let readback = Readback::new(&device, 8);
        let source = source(&device);
        let usage = wgpu::BufferUsages::STORAGE;
        let bare = wgpu::BufferDescriptor { label: None, size: 8, usage, mapped_at_creation: false };
        let bare = device.create_buffer(&bare);
        submit(&device, &queue, |encoder| {
            let mut refused =
                |at, from, offset, size| readback.encode_behind(at, encoder, from, offset, size).unwrap_err();
            refusals::check([
                (refused(0, &source, 0, 6), "Misaligned", ""),
                (refused(0, &source, 2, 4), "Misaligned", ""),
                (refused(1, &source, 0, 4), "Misaligned", ""),
                (refused(0, &source, 4, 8), "TooShort", ""),
                (refused(0, &bare, 0, 8), "Usage", ""),
                (refused(4, &source, 0, 8), "TooShort", "4"),
            ]);
            readback.encode(encoder, &source, 0, 8).unwrap();
        });
        let error = pollster::block_on(readback.read(u64::MAX)).unwrap_err();
        assert_eq!(readback.wait(9).unwrap_err(), ReadError::Room { size: 9, room: 8 });
        assert!(matches!(error, ReadError::Room { .. }), "{error}");
        assert_eq!(readback.wait(8).unwrap(), BYTES);
    }
}

#[test]
fn a_reading_may_be_dropped_before_its_end() {
    for (device, queue) in devices() {
        let readback = Readback::new(&device, 8);
        let source = source(&device);
        for polled in [false, true] {
            submit(&device, &queue, |encoder| readback.encode(encoder, &source, 0, 8).unwrap());
            let given_up = readback.read(8);
            // A second request while one is under way is refused and leaves the first one alone.
            assert!(matches!(readback.wait(8), Err(ReadError::Busy)));
            let mut encoder = device.create_command_encoder(&Default::default());
            assert!(matches!(readback.encode(&mut encoder, &source, 0, 8), Err(ReadError::Busy)));
            if polled {
                device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
            }
            drop(given_up);
        }
        let first = readback.read(8);
        drop(readback.read(4));
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        assert_eq!(pollster::block_on(first).unwrap(), BYTES);
        assert_eq!(readback.wait(8).unwrap(), BYTES);
    }
}

/// A frame loop asks once, looks in every frame, and takes the bytes when they are there; a second request meanwhile is refused.
#[test]
fn a_frame_loop_looks_and_goes_on() {
    for (device, queue) in devices() {
        let readback = filled(&device, &queue, 8);
        let mut reading = readback.read(6);
        let mut second = readback.read(6);
        assert!(matches!(second.try_take(), Err(ReadError::Busy)));
        drop(second);
        let bytes = loop {
            if let Some(bytes) = reading.try_take().unwrap() {
                break bytes;
            }
        };
        assert_eq!(bytes, BYTES[..6]);
        assert!(matches!(reading.try_take(), Err(ReadError::Taken)));
        assert!(matches!(pollster::block_on(reading), Err(ReadError::Taken)));
        assert_eq!(readback.wait(8).unwrap(), BYTES);

        let mailbox = Mailbox::new(&device, 8);
        queue.write_buffer(mailbox.buffer(), 0, &BYTES);
        submit(&device, &queue, |encoder| mailbox.encode(encoder).unwrap());
        let mut reading = mailbox.read();
        let mut encoder = device.create_command_encoder(&Default::default());
        assert!(matches!(mailbox.encode(&mut encoder), Err(ReadError::Busy)));
        while reading.try_take().unwrap().is_none_or(|bytes| bytes != BYTES) {}
        mailbox.encode(&mut encoder).unwrap();
    }
}

/// More than a buffer may have: every use says so, and nothing else happens.
#[test]
fn too_large_is_an_error() {
    for (device, _) in devices() {
        let limit = device.limits().max_buffer_size;
        for size in [u64::MAX, u64::MAX - 2, limit + 1] {
            let readback = Readback::new(&device, size);
            let mailbox = Mailbox::new(&device, size);
            let mut encoder = device.create_command_encoder(&Default::default());
            for error in [
                readback.encode(&mut encoder, &source(&device), 0, 8).unwrap_err(),
                readback.wait(8).unwrap_err(),
                readback.read(8).try_take().unwrap_err(),
                mailbox.encode(&mut encoder).unwrap_err(),
                mailbox.spin().unwrap_err(),
                pollster::block_on(mailbox.read()).unwrap_err(),
            ] {
                assert!(error.to_string().contains("max_buffer_size"), "{error}");
            }
            assert_eq!(mailbox.buffer().size(), 4);
        }
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
    std::thread::spawn(move || {
        for (device, queue) in devices() {
            let readback = filled(&device, &queue, 8);
            let task = Arc::new(GoneWhenWoken(Mutex::new(Some(Box::pin(readback.read(8))))));
            let waker = Waker::from(task.clone());
            let polled =
                task.0.lock().unwrap().as_mut().unwrap().as_mut().poll(&mut Context::from_waker(&waker));
            assert!(matches!(polled, Poll::Pending));
            device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
            assert!(task.0.lock().unwrap().is_none(), "no task was woken");
            assert_eq!(readback.wait(8).unwrap(), BYTES);
        }
        sender.send(()).unwrap();
    });
    done.recv_timeout(Duration::from_secs(60)).expect("the thread comes to its end");
}
