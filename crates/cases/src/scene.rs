//! A device whose errors are collected: with limits of its own, and perhaps destroyed at some stage of an operation.

use std::fmt::Display;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use halofold::read::{Readback, Reading};
use halofold::{Bound, Compiled, Error, Operation, adapter, wgpu};

/// The end of an operation.
#[derive(Debug)]
pub enum End {
    /// The bytes that the CPU computes, too.
    Right,
    /// Other bytes: which.
    Wrong(String),
    /// An error value: its message.
    Refused(String),
}

/// A device, wgpu's errors on it, and the stage at which it is destroyed.
pub struct Scene {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    complaints: Arc<Mutex<Vec<String>>>,
    /// Stages that the device still lives through; below zero once it is destroyed.
    left: AtomicI64,
    /// True: the destroyed device is polled at once, which releases its resources.
    polls: bool,
}

pub fn any_adapter() -> wgpu::Adapter {
    pollster::block_on(adapter::preferred(true)).expect("an adapter")
}

/// Compiles an operation with default options.
pub fn compile<O: Operation>(device: &wgpu::Device, operation: O) -> Result<Compiled<O>, Error> {
    Compiled::new(device, operation, &Default::default())
}

impl Scene {
    /// A device with these limits, and subgroups and the short way back where there are any.
    pub fn open(
        adapter: &wgpu::Adapter,
        required_limits: wgpu::Limits,
    ) -> Result<Self, wgpu::RequestDeviceError> {
        let descriptor = wgpu::DeviceDescriptor {
            required_features: adapter.features()
                & (wgpu::Features::MAPPABLE_PRIMARY_BUFFERS | wgpu::Features::SUBGROUP),
            required_limits,
            ..Default::default()
        };
        Ok(Scene::on(pollster::block_on(adapter.request_device(&descriptor))?))
    }

    /// A device that is there.
    pub fn on((device, queue): (wgpu::Device, wgpu::Queue)) -> Self {
        let complaints = Arc::new(Mutex::new(Vec::new()));
        let heard = complaints.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            heard.lock().unwrap().push(error.to_string());
        }));
        Scene { device, queue, complaints, left: AtomicI64::new(i64::MAX), polls: false }
    }

    /// The same, to be destroyed at a stage, the first being 0.
    pub fn destroyed_at(self, stage: u32, polls: bool) -> Self {
        Scene { left: AtomicI64::new(stage.into()), polls, ..self }
    }

    /// Compiles an operation with default options.
    pub fn compile<O: Operation>(&self, operation: Result<O, Error>) -> Result<Compiled<O>, String> {
        operation.and_then(|operation| compile(&self.device, operation)).map_err(text)
    }

    /// A new stage begins.
    pub fn stage(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 0 {
            self.device.destroy();
            if self.polls {
                let _ = self.device.poll(wgpu::PollType::wait_indefinitely());
            }
        }
    }

    /// Returns true if an operation came as far as the stage at which the device was to be destroyed.
    pub fn is_destroyed(&self) -> bool {
        self.left.load(Ordering::Relaxed) < 0
    }

    /// The complaints of wgpu.
    pub fn complaints(&self) -> Vec<String> {
        std::mem::take(&mut *self.complaints.lock().unwrap())
    }

    /// A buffer of the application's, with these contents.
    pub fn buffer(&self, bytes: &[u8]) -> Result<wgpu::Buffer, String> {
        let buffer = self.room(bytes.len() as u64)?;
        self.queue.write_buffer(&buffer, 0, bytes);
        Ok(buffer)
    }

    /// A buffer of the application's for results.
    pub fn room(&self, size: u64) -> Result<wgpu::Buffer, String> {
        if size > self.device.limits().max_buffer_size {
            return Err(format!("an application has no buffer of {size} bytes either (max_buffer_size)"));
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        Ok(self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("application"),
            size: size.next_multiple_of(4).max(4),
            usage,
            mapped_at_creation: false,
        }))
    }

    /// Returns `requested`, or the words of the device's largest buffer if there are fewer.
    pub fn words(&self, requested: u64) -> u64 {
        requested.min(self.device.limits().max_buffer_size / 4)
    }

    /// Binds an operation to an output for each array of expected words, runs it, and compares all of them.
    pub async fn gives<E: Display>(
        &self,
        expected: &[Vec<u32>],
        bind: impl FnOnce(&[wgpu::Buffer]) -> Result<Bound, E>,
    ) -> Result<End, String> {
        let outputs = expected.iter().map(|words| self.room(4 * words.len() as u64));
        let outputs: Vec<_> = outputs.collect::<Result<_, _>>()?;
        let all = self.room(outputs.iter().map(wgpu::Buffer::size).sum())?;
        self.stage();
        let prepared = bind(&outputs).map_err(text)?;
        let record = |encoder: &mut wgpu::CommandEncoder| {
            prepared.encode(encoder);
            let mut at = 0;
            for output in &outputs {
                encoder.copy_buffer_to_buffer(output, 0, &all, at, output.size());
                at += output.size();
            }
        };
        self.compare(record, &all, bytemuck::cast_slice(&expected.concat())).await
    }

    /// Submits the commands and compares a buffer with its expected contents.
    pub async fn compare(
        &self,
        record: impl FnOnce(&mut wgpu::CommandEncoder),
        buffer: &wgpu::Buffer,
        expected: &[u8],
    ) -> Result<End, String> {
        let got = self.fetch(record, buffer, expected.len() as u64).await?;
        Ok(same(&got, expected))
    }

    /// Submits the commands and reads a buffer.
    pub async fn fetch(
        &self,
        record: impl FnOnce(&mut wgpu::CommandEncoder),
        buffer: &wgpu::Buffer,
        size: u64,
    ) -> Result<Vec<u8>, String> {
        let readback = Readback::new(&self.device, size);
        self.stage();
        let mut encoder = self.device.create_command_encoder(&Default::default());
        record(&mut encoder);
        self.stage();
        readback.encode(&mut encoder, buffer, 0, size).map_err(text)?;
        self.submit(encoder);
        let reading = readback.read(size);
        self.arrival(reading).await
    }

    /// The bytes of a request, once the device has been polled.
    pub async fn arrival(&self, reading: Reading) -> Result<Vec<u8>, String> {
        self.stage();
        let _ = self.device.poll(wgpu::PollType::wait_indefinitely());
        self.stage();
        reading.await.map_err(text)
    }

    /// Returns to the event loop of a browser, where nothing arrives otherwise.
    pub async fn turn(&self) -> Result<(), String> {
        if cfg!(target_family = "wasm") {
            Readback::new(&self.device, 4).read(4).await.map_err(text)?;
        }
        Ok(())
    }

    /// Submits the commands, with a stage before and after.
    pub fn submit(&self, encoder: wgpu::CommandEncoder) {
        self.stage();
        let commands = encoder.finish();
        self.stage();
        self.queue.submit([commands]);
        self.stage();
    }
}

/// Compares bytes.
pub fn same(got: &[u8], expected: &[u8]) -> End {
    match got.iter().zip(expected).position(|(got, expected)| got != expected) {
        None if got.len() == expected.len() => End::Right,
        None => End::Wrong(format!("{} bytes, expected {}", got.len(), expected.len())),
        Some(at) => End::Wrong(format!("byte {at} is {}, expected {}", got[at], expected[at])),
    }
}

pub fn text(error: impl Display) -> String {
    error.to_string()
}
