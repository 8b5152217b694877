//! A grid to verify stencil kernels with: known cells, and the expected cells after a few steps.
//!
//! The GPU compares whole grids with the CPU's result, bit for bit. Buffers start with the initial
//! cells, so a cell that a kernel fails to write keeps an old value and is found.

use std::sync::Arc;

use halofold::read::ReadError;
use halofold::reduce::Bound;
use halofold::stencil::{Config, Grid, Grids, Jacobi, Stepper};
use halofold::{Compiled, Element};
use wgpu::{Buffer, BufferUsages, CommandEncoder, Device, Queue};

use crate::MeasureError;
use crate::buffer::buffer;
use crate::differ::Differ;
use crate::periodic_grid::PeriodicGrid;
use crate::upload::upload;

/// Usages of a grid.
const USAGE: BufferUsages = BufferUsages::STORAGE.union(BufferUsages::COPY_SRC).union(BufferUsages::COPY_DST);

/// The cells of a grid, and the expected ones after a few steps.
#[derive(Debug)]
pub struct GridCheck {
    grid: Grid,
    element: Element,
    steps: u32,
    initial: Buffer,
    differ: Differ,
}

/// Two buffers of a [`GridCheck`]'s size to step in, and its right-hand side.
#[derive(Debug)]
pub struct PingPong {
    buffers: [Buffer; 2],
    rhs: Buffer,
    /// The comparison of each buffer.
    comparisons: [Arc<Bound>; 2],
}

/// The difference between a grid and the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words} words of the grid are wrong after {steps} steps, the first in plane {}, row {}, column {}", at[0], at[1], at[2])]
pub struct Difference {
    /// The number of 32-bit words that differ.
    pub words: u64,
    /// Plane, row and column of the first cell that differs.
    pub at: [u64; 3],
    /// The number of steps made.
    pub steps: u32,
}

impl GridCheck {
    /// Makes the grid of a configuration: its stencil, element type and borders; the variant does not matter. Takes two buffers of the
    /// grid's size, and two more during this call. The CPU steps a small grid only.
    ///
    /// # Errors
    ///
    /// The device cannot hold the grid, is lost, or finds no difference between grids that differ.
    pub fn new(device: &Device, queue: &Queue, config: &Config) -> Result<Self, MeasureError> {
        config.check(device.features(), &device.limits())?;
        let Config { element, grid, .. } = *config;
        // Both directions between two buffers. 16-bit floats have bits for one step only.
        let steps = if element == Element::F16 { 1 } else { 2 };
        let periodic = PeriodicGrid::new(config, steps);
        let size = config.bytes().next_multiple_of(4);
        let initial = buffer(device, "halofold::measure::initial", size, USAGE);
        let expected = buffer(device, "halofold::measure::expected", size, USAGE);
        upload(queue, &initial, periodic.before());
        upload(queue, &expected, periodic.after());
        let check = GridCheck { grid, element, steps, initial, differ: Differ::new(device, expected)? };
        let pair = check.pair(device)?;
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        check.reset(&mut encoder, &pair);
        let unlike = check.differ.run(queue, encoder, &pair.comparisons[0])?.is_some();
        if unlike == periodic.changes { Ok(check) } else { Err(MeasureError::Blind) }
    }

    /// Allocates two buffers.
    ///
    /// # Errors
    ///
    /// If the device cannot compare the buffers; [`GridCheck::new`] then fails, too.
    pub fn pair(&self, device: &Device) -> Result<PingPong, MeasureError> {
        let buffers = ["halofold::measure::first", "halofold_measure::second"]
            .map(|label| buffer(device, label, self.initial.size(), USAGE));
        let [first, second] = buffers.each_ref().map(|buffer| self.differ.bind(buffer));
        Ok(PingPong { comparisons: [first?.into(), second?.into()], buffers, rhs: self.initial.clone() })
    }

    /// Makes `steps` steps from the initial cells and compares the whole grid. The stepper comes from [`PingPong::stepper`], with the
    /// weights [`Stencil::dyadic`](halofold::stencil::Stencil::dyadic).
    pub fn verify(
        &self,
        device: &Device,
        queue: &Queue,
        pair: &PingPong,
        stepper: &Stepper,
    ) -> Result<Option<Difference>, ReadError> {
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor {
            label: Some("halofold::measure::verify"),
        });
        self.reset(&mut encoder, pair);
        stepper.encode(&mut encoder, self.steps);
        let result = &pair.comparisons[self.steps as usize % 2];
        let found = self.differ.run(queue, encoder, result)?;
        Ok(found.map(|(words, first)| Difference { words, at: self.place(first), steps: self.steps }))
    }

    /// Makes the same steps by two steppers of one pair of buffers, and returns whether the grids agree, bit for bit. For kernels of many
    /// steps per sweep, whose results are exact only for few steps.
    pub fn agree(
        &self,
        device: &Device,
        queue: &Queue,
        pair: &PingPong,
        [one, other]: [&Stepper; 2],
        steps: u32,
    ) -> Result<Option<Difference>, MeasureError> {
        let found = &pair.buffers[steps as usize % 2];
        let expected = buffer(device, "halofold::measure::agreed", self.initial.size(), USAGE);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.reset(&mut encoder, pair);
        other.encode(&mut encoder, steps);
        encoder.copy_buffer_to_buffer(found, 0, &expected, 0, expected.size());
        self.reset(&mut encoder, pair);
        one.encode(&mut encoder, steps);
        let differ = Differ::new(device, expected)?;
        let comparison = differ.bind(found)?;
        let unlike = differ.run(queue, encoder, &comparison)?;
        Ok(unlike.map(|(words, first)| Difference { words, at: self.place(first), steps }))
    }

    /// Records the initial cells into both buffers.
    fn reset(&self, encoder: &mut CommandEncoder, pair: &PingPong) {
        for buffer in &pair.buffers {
            encoder.copy_buffer_to_buffer(&self.initial, 0, buffer, 0, self.initial.size());
        }
    }

    /// Returns the plane, row and column of the first cell in a word.
    fn place(&self, word: u64) -> [u64; 3] {
        let (rows, cols) = (u64::from(self.grid.rows), u64::from(self.grid.cols));
        let cell = word * 4 / self.element.size();
        [cell / cols / rows, cell / cols % rows, cell % cols]
    }
}

impl PingPong {
    /// Binds a compiled stencil to the two buffers.
    ///
    /// # Errors
    ///
    /// If the stencil is for a larger grid; see [`Compiled::bind`].
    pub fn stepper(&self, jacobi: &Compiled<Jacobi>) -> Result<Stepper, halofold::Error> {
        let grids = Grids::new(&self.buffers[0], &self.buffers[1]);
        jacobi.bind(if jacobi.config().rhs { grids.with_rhs(&self.rhs) } else { grids })
    }

    /// Returns the same buffers swapped: steps then start in the second one.
    pub fn reversed(&self) -> Self {
        let [first, second] = self.buffers.clone();
        let [of_first, of_second] = self.comparisons.clone();
        PingPong { buffers: [second, first], rhs: self.rhs.clone(), comparisons: [of_second, of_first] }
    }
}
