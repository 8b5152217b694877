//! The staging buffers of one side of a slab.
//!
//! An edge is copied to a buffer that the host can read, and a halo from one that the host can write: on GPUs with memory of their own
//! that is memory of the GPU which the processor writes through the bus. Both are kept for the whole run. wgpu's `write_buffer` would
//! allocate staging memory of its own for each call, which takes milliseconds once its blocks are full.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use halofold::wgpu::{self, Buffer, BufferUsages, BufferView, Device, MapMode};

use crate::error::WorkerError;

const ASKED: u8 = 0;
const MAPPED: u8 = 1;
const FAILED: u8 = 2;

/// A buffer that is mapped again and again.
#[derive(Debug)]
pub struct Staging {
    buffer: Buffer,
    mode: MapMode,
    state: Arc<AtomicU8>,
}

impl Staging {
    fn new(device: &Device, label: &str, size: u64, mode: MapMode) -> Self {
        let usage = match mode {
            MapMode::Read => BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            MapMode::Write => BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC,
        };
        let label = Some(label);
        let buffer =
            device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false });
        Staging { buffer, mode, state: Arc::default() }
    }

    /// Asks for it. It is mapped once the submissions so far that use it are done.
    fn ask(&self) {
        self.state.store(ASKED, Ordering::Release);
        let state = self.state.clone();
        self.buffer.map_async(self.mode, .., move |result| {
            state.store(if result.is_ok() { MAPPED } else { FAILED }, Ordering::Release);
        });
    }

    /// Whether it is mapped by now.
    fn is_mapped(&self) -> Result<bool, WorkerError> {
        match self.state.load(Ordering::Acquire) {
            FAILED => Err(lost()),
            state => Ok(state == MAPPED),
        }
    }
}

/// What goes to the neighbour on a side, and what came from it.
#[derive(Debug)]
pub struct Face {
    leaving: Staging,
    arriving: Staging,
}

impl Face {
    pub fn new(device: &Device, size: u64) -> Self {
        Face {
            leaving: Staging::new(device, "halofold fleet: edge", size, MapMode::Read),
            arriving: Staging::new(device, "halofold fleet: halo", size, MapMode::Write),
        }
    }

    /// To which the edge is copied.
    pub fn leaving(&self) -> &Buffer {
        &self.leaving.buffer
    }

    /// From which the halo is copied.
    pub fn arriving(&self) -> &Buffer {
        &self.arriving.buffer
    }

    /// Asks for both.
    pub fn ask(&self) {
        self.leaving.ask();
        self.arriving.ask();
    }

    /// Whether both are mapped by now.
    pub fn is_mapped(&self) -> Result<bool, WorkerError> {
        Ok(self.leaving.is_mapped()? & self.arriving.is_mapped()?)
    }

    /// The edge.
    pub fn read(&self) -> Result<BufferView, WorkerError> {
        self.leaving.buffer.get_mapped_range(..).map_err(|_| lost())
    }

    /// Writes the halo.
    pub fn write(&self, bytes: &[u8]) -> Result<(), WorkerError> {
        let needed = self.arriving.buffer.size();
        if bytes.len() as u64 != needed {
            return Err(WorkerError::Face { given: bytes.len(), needed });
        }
        let mut mapped = self.arriving.buffer.get_mapped_range_mut(..).map_err(|_| lost())?;
        mapped.copy_from_slice(bytes);
        Ok(())
    }

    /// Gives both back to the GPU.
    pub fn release(&self) {
        self.leaving.buffer.unmap();
        self.arriving.buffer.unmap();
    }
}

fn lost() -> WorkerError {
    WorkerError::Device("the device was lost".to_owned())
}
