//! A grid on the GPU: two buffers, and the steps between them.

use std::ops::Range;

use halofold::read::Readback;
use halofold::stencil::{Coefficients, Jacobi, Job, Stepper};
use halofold::wgpu;

use crate::Failure;
use crate::dataset;
use crate::gpu::Gpu;

/// How much is read back at once: each piece passes through a buffer that the host can map.
const PIECE: u64 = 64 << 20;

/// The grid, and the kernel that steps it.
pub struct Stage<'a> {
    gpu: &'a Gpu,
    buffers: [wgpu::Buffer; 2],
    /// From the first buffer on, and from the second one on.
    steppers: [Stepper; 2],
    /// Which buffer holds the grid.
    current: usize,
    readback: Readback,
}

impl<'a> Stage<'a> {
    /// Compiles a job and uploads its grid.
    pub fn new(gpu: &'a Gpu, job: Job, coefficients: Coefficients, cells: &[u8]) -> Result<Self, Failure> {
        gpu.attempt(|| {
            let jacobi = Jacobi::new(&gpu.device, job, coefficients).map_err(Failure::usage)?;
            let size = (cells.len() as u64).next_multiple_of(4);
            let buffers = [buffer(gpu, size), buffer(gpu, size)];
            dataset::write(gpu, &buffers[0], cells);
            // Fixed cells are never written: the second buffer needs them too.
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(&buffers[0], 0, &buffers[1], 0, size);
            gpu.queue.submit([encoder.finish()]);
            let [first, second] = &buffers;
            let prepare =
                |source, target| jacobi.prepare(&gpu.device, source, target).map_err(Failure::usage);
            let steppers = [prepare(first, second)?, prepare(second, first)?];
            let readback = Readback::new(&gpu.device, size.min(PIECE));
            Ok(Stage { gpu, buffers, steppers, current: 0, readback })
        })
    }

    /// Does some steps and waits for them: milliseconds on the GPU, if it tells.
    pub fn advance(&mut self, steps: u32) -> Result<Option<f64>, Failure> {
        let stepper = &self.steppers[self.current];
        let ms = self.gpu.attempt(|| {
            self.gpu.timer.once(&|pass| stepper.encode_in_pass(pass, steps)).map_err(Failure::usage)
        })?;
        self.current = (self.current + steps as usize) % 2;
        Ok(ms)
    }

    /// Reads some bytes of the grid.
    pub fn read(&self, range: Range<u64>) -> Result<Vec<u8>, Failure> {
        // Copies are of whole words; a plane of 16-bit floats may begin or end inside one.
        let (start, end) = (range.start / 4 * 4, range.end.next_multiple_of(4));
        let mut bytes = Vec::with_capacity((end - start) as usize);
        for offset in (start..end).step_by(PIECE as usize) {
            bytes.extend(self.piece(offset, PIECE.min(end - offset))?);
        }
        bytes.truncate((range.end - start) as usize);
        bytes.drain(..(range.start - start) as usize);
        Ok(bytes)
    }

    fn piece(&self, offset: u64, size: u64) -> Result<Vec<u8>, Failure> {
        let Stage { gpu, readback, .. } = self;
        gpu.attempt(|| {
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let grid = &self.buffers[self.current];
            readback.encode(&mut encoder, grid, offset, size).map_err(Failure::usage)?;
            gpu.queue.submit([encoder.finish()]);
            readback.wait(&gpu.device, size).map_err(Failure::usage)
        })
    }
}

fn buffer(gpu: &Gpu, size: u64) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold grid"),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}
