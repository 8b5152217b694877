//! A grid on the GPU that every stencil kernel is held against: known cells, and what they are after a few steps.
//!
//! The cells are small integers and the weights powers of two, so that every order of additions gives the same bits,
//! and the CPU's word on the whole grid is compared with the kernel's bit for bit, on the GPU. The kernel's results
//! start as the cells of the beginning: what a kernel leaves out is of another time level, and noticed.

use wgpu::util::DeviceExt as _;
use wgpu::{Buffer, BufferUsages, CommandEncoder, Device, Queue};

use crate::Element;
use crate::measure::noise::scramble;
use crate::pipeline::{self, Checks, Kernel};
use crate::read::{ReadError, Readback};
use crate::shader::piece;
use crate::stencil::{Coefficients, Grid, Jacobi, Job, StencilError, Stepper, reference};

/// The comparison's workgroups, and invocations in each.
const SHAPE: (u32, u32) = (1024, 64);

/// Two buffers to step in, and what they should hold.
#[derive(Debug)]
pub struct Field {
    grid: Grid,
    element: Element,
    steps: u32,
    initial: Buffer,
    pair: [Buffer; 2],
    differ: Differ,
}

/// Where a grid is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words} words of the grid are wrong after {steps} steps, the first in plane {}, row {}, column {}", at[0], at[1], at[2])]
pub struct Difference {
    /// How many words of 32 bits differ.
    pub words: u32,
    /// The plane, row and column of the first cell in them.
    pub at: [u64; 3],
    /// After how many steps.
    pub steps: u32,
}

/// Why there is no field.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// No kernel could step this grid here.
    #[error(transparent)]
    Stencil(#[from] StencilError),
    /// The device did not answer.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The comparison itself is not to be trusted.
    #[error("this device finds no difference between two grids that differ: its results cannot be verified")]
    Blind,
}

impl Field {
    /// The grid of a job, with its element type and borders; of its variant only the stencil counts. Costs four
    /// buffers of the grid's size, and the CPU's time for two steps (one of 16-bit floats, which have not the bits for more).
    ///
    /// # Errors
    ///
    /// A grid that the device cannot hold, a lost device, or one that sees no difference where there is one.
    pub fn new(device: &Device, queue: &Queue, job: &Job) -> Result<Self, FieldError> {
        job.check(device.features(), &device.limits())?;
        let Job { element, grid, .. } = *job;
        let steps = if element == Element::F16 { 1 } else { 2 };
        let cells: Vec<f64> =
            (0..grid.cells()).map(|index| ((scramble(index) >> 40) % 9) as f64 - 4.0).collect();
        let stepped = on_cpu(job, &cells, steps);
        let changes = cells != stepped;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let filled = |label, cells: &[f64]| {
            let contents = &in_element(element, cells);
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label, contents, usage })
        };
        let initial = filled(Some("halofold::measure::initial"), &cells);
        let expected = filled(Some("halofold::measure::expected"), &stepped);
        let size = initial.size();
        let pair = ["halofold::measure::first", "halofold::measure::second"].map(|label| {
            let label = Some(label);
            device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
        });
        let differ = Differ::new(device, &pair, &expected);
        let field = Field { grid, element, steps, initial, pair, differ };
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        field.reset(&mut encoder);
        let unlike = field.differ.run(device, queue, encoder, 0)?.is_some();
        if unlike == changes { Ok(field) } else { Err(FieldError::Blind) }
    }

    /// Binds a compiled stencil to the two buffers.
    ///
    /// # Errors
    ///
    /// If the stencil is for a larger grid; see [`Jacobi::prepare`].
    pub fn stepper(&self, device: &Device, jacobi: &Jacobi) -> Result<Stepper, StencilError> {
        jacobi.prepare(device, &self.pair[0], &self.pair[1])
    }

    /// Runs some steps from the beginning and compares the whole grid. The stepper is one of [`Field::stepper`], with
    /// [`Coefficients::dyadic`].
    ///
    /// # Errors
    ///
    /// If the device is lost on the way.
    pub fn verify(
        &self,
        device: &Device,
        queue: &Queue,
        stepper: &Stepper,
    ) -> Result<Option<Difference>, ReadError> {
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor {
            label: Some("halofold::measure::verify"),
        });
        self.reset(&mut encoder);
        stepper.encode(&mut encoder, self.steps);
        let found = self.differ.run(device, queue, encoder, self.steps as usize % 2)?;
        Ok(found.map(|(words, first)| Difference { words, at: self.place(first), steps: self.steps }))
    }

    /// Records the beginning into both buffers.
    fn reset(&self, encoder: &mut CommandEncoder) {
        for buffer in &self.pair {
            encoder.copy_buffer_to_buffer(&self.initial, 0, buffer, 0, self.initial.size());
        }
    }

    /// The plane, row and column of the first cell in a word.
    fn place(&self, word: u32) -> [u64; 3] {
        let (rows, cols) = (u64::from(self.grid.rows), u64::from(self.grid.cols));
        let cell = u64::from(word) * 4 / self.element.size();
        [cell / cols / rows, cell / cols % rows, cell % cols]
    }
}

/// The cells after some steps, by the reference.
fn on_cpu(job: &Job, cells: &[f64], steps: u32) -> Vec<f64> {
    let points = job.variant.points;
    let (mut source, mut target) = (cells.to_vec(), cells.to_vec());
    for _ in 0..steps {
        let weights = Coefficients::dyadic(points);
        reference::step(points, job.grid, job.borders, weights, &source, &mut target);
        std::mem::swap(&mut source, &mut target);
    }
    source
}

/// The bytes of cells.
fn in_element(element: Element, cells: &[f64]) -> Vec<u8> {
    match element {
        Element::F16 => cells.iter().flat_map(|cell| half::f16::from_f64(*cell).to_le_bytes()).collect(),
        Element::F64 => cells.iter().flat_map(|cell| cell.to_le_bytes()).collect(),
        _ => cells.iter().flat_map(|cell| (*cell as f32).to_le_bytes()).collect(),
    }
}

/// Compares either of two buffers with a third.
#[derive(Debug)]
struct Differ {
    pipeline: wgpu::ComputePipeline,
    bindings: [wgpu::BindGroup; 2],
    counts: Buffer,
    readback: Readback,
    words: u32,
}

impl Differ {
    fn new(device: &Device, pair: &[Buffer; 2], expected: &Buffer) -> Self {
        let (pipeline, layout) = pipeline::compile(
            device,
            Kernel {
                label: "halofold::measure::differ",
                wgsl: piece("measure/differ").to_owned(),
                entry_point: "main",
                slots: &[0, 1, 2, 3],
                overrides: &[("GROUPS", f64::from(SHAPE.0)), ("WG", f64::from(SHAPE.1))],
                cache: None,
                checks: Checks::On,
            },
        );
        let words = (expected.size() / 4) as u32;
        let counts = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("halofold::measure::counts"),
            size: 8,
            usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let length = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("halofold::measure::words"),
            contents: bytemuck::bytes_of(&[words; 4]),
            usage: BufferUsages::UNIFORM,
        });
        let bindings = [0, 1].map(|which: usize| {
            let buffers = (0..).zip([&pair[which], &counts, &length, expected]);
            let entries: Vec<_> = buffers
                .map(|(binding, buffer)| wgpu::BindGroupEntry {
                    binding,
                    resource: buffer.as_entire_binding(),
                })
                .collect();
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("halofold::measure::differ"),
                layout: &layout,
                entries: &entries,
            })
        });
        Differ { pipeline, bindings, counts, readback: Readback::new(device, 8), words }
    }

    /// Adds the comparison of one of the two buffers to what is recorded, submits it all and waits: how many words differ,
    /// and which is the first; `None` if they are the same.
    fn run(
        &self,
        device: &Device,
        queue: &Queue,
        mut encoder: CommandEncoder,
        which: usize,
    ) -> Result<Option<(u32, u32)>, ReadError> {
        encoder.clear_buffer(&self.counts, 0, None);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("halofold::measure::differ"),
            timestamp_writes: None,
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bindings[which], &[]);
        pass.dispatch_workgroups(SHAPE.0, 1, 1);
        drop(pass);
        self.readback.encode(&mut encoder, &self.counts, 0, 8)?;
        queue.submit([encoder.finish()]);
        let bytes = self.readback.wait(device, 8)?;
        let counts: Vec<u32> = bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
        Ok((counts[0] != 0).then(|| (counts[0], self.words - counts[1])))
    }
}
