//! The staging buffers of one side of a slab.
//!
//! An edge is copied to a buffer that the host can read, and a halo from one that the host can write: on GPUs with memory of their own
//! that is memory of the GPU which the processor writes through the bus. Both are kept for the whole run. wgpu's `write_buffer` would
//! allocate staging memory of its own for each call, which takes milliseconds once its blocks are full.

use halofold::wgpu::{Buffer, BufferView, Device, MapMode};

use crate::error::WorkerError;
use crate::staging::Staging;

/// The edge that goes to the neighbour on a side, and the halo that came from it.
#[derive(Debug)]
pub struct HaloFace {
    leaving: Staging,
    arriving: Staging,
}

impl HaloFace {
    /// Room for faces of up to `size` bytes.
    pub fn new(device: &Device, size: u64) -> Self {
        HaloFace {
            leaving: Staging::new(device, "halofold fleet: edge", size, MapMode::Read),
            arriving: Staging::new(device, "halofold fleet: halo", size, MapMode::Write),
        }
    }

    /// The buffer that the edge is copied to.
    pub fn leaving(&self) -> &Buffer {
        self.leaving.buffer()
    }

    /// The buffer that the halo is copied from.
    pub fn arriving(&self) -> &Buffer {
        self.arriving.buffer()
    }

    /// Asks for both.
    pub fn ask(&self) {
        self.leaving.ask();
        self.arriving.ask();
    }

    /// Waits until both are mapped, after the submission that uses them.
    pub fn wait(&self, device: &Device) -> Result<(), WorkerError> {
        self.leaving.wait(device)?;
        self.arriving.wait(device)
    }

    /// The edge, of so many bytes.
    pub fn read(&self, bytes: u64) -> Result<BufferView, WorkerError> {
        self.leaving.view(..bytes)
    }

    /// Writes the halo. Threads pass to `copied` the bytes that they have read.
    pub fn write(&self, bytes: &[u8], copied: fn(&[u8])) -> Result<(), WorkerError> {
        self.arriving.fill(&[bytes], 0..bytes.len(), copied)
    }

    /// Gives both back to the GPU.
    pub fn release(&self) {
        self.leaving.unmap();
        self.arriving.unmap();
    }
}
