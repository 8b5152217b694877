//! Some steps on the GPU, and the same on the CPU.

use halofold::stencil::reference::Problem;
use halofold::stencil::{Border, Borders, Config, Grid, Grids, Jacobi, Weights};
use halofold::{Element, wgpu};

use crate::common::{Gpu, Random, read};

/// Runs steps on the GPU and on the CPU; the GPU's values come back as 64-bit floats.
pub struct Run {
    pub gpu: &'static Gpu,
    pub config: Config,
    pub weights: Weights,
    pub steps: u32,
    /// The right-hand side, if the configuration has one.
    rhs: Vec<f64>,
}

impl Run {
    pub fn new(gpu: &'static Gpu, config: Config, weights: Weights, steps: u32) -> Self {
        Run { gpu, config, weights, steps, rhs: Vec::new() }
    }

    /// The same with a right-hand side.
    pub fn with_rhs(self, rhs: Vec<f64>) -> Self {
        Run { config: self.config.with_rhs(), rhs, ..self }
    }

    /// The problem that the CPU steps.
    pub fn problem(&self) -> Problem<'_> {
        let problem = Problem::of(&self.config, self.weights);
        if self.config.rhs { problem.with_rhs(&self.rhs) } else { problem }
    }

    pub fn on_cpu(&self, cells: &[f64]) -> Vec<f64> {
        let (mut source, mut target) = (cells.to_vec(), cells.to_vec());
        for _ in 0..self.steps {
            self.problem().step(&source, &mut target);
            std::mem::swap(&mut source, &mut target);
        }
        source
    }

    pub fn on_gpu(&self, cells: &[f64]) -> Result<Vec<f64>, String> {
        self.gpu.watched(|| {
            let (buffers, rhs) = (self.buffers(cells), self.rhs_buffer());
            let device = &self.gpu.device;
            let jacobi = Jacobi::new(device, self.config, self.weights).map_err(|error| error.to_string())?;
            let grids = grids(&buffers, rhs.as_ref());
            let stepper = jacobi.prepare(grids).map_err(|error| error.to_string())?;
            let mut encoder = device.create_command_encoder(&Default::default());
            stepper.encode(&mut encoder, self.steps);
            self.gpu.queue.submit([encoder.finish()]);
            self.read(&buffers[self.steps as usize % 2])
        })
    }

    /// Compares a result with the CPU's, bit for bit.
    pub fn same(&self, got: &[f64], expected: &[f64]) -> Result<(), String> {
        match (0..expected.len()).find(|&at| got[at] != expected[at]) {
            None => Ok(()),
            Some(at) => {
                Err(format!("{}: cell {at} is {}, expected {}", self.describe(), got[at], expected[at]))
            }
        }
    }

    /// The configuration that ran, with all that chooses its kernel.
    pub fn describe(&self) -> String {
        let Config { grid, borders, rhs, tuning, .. } = self.config;
        let subgroup = self.gpu.device.adapter_info().subgroup_max_size;
        let steps = self.steps;
        format!("{grid}, {borders:?}, rhs {rhs}, {steps} steps, {tuning:?}, subgroups of up to {subgroup}")
    }

    /// Both buffers before the first step, longer than the grid.
    pub fn buffers(&self, cells: &[f64]) -> [wgpu::Buffer; 2] {
        let element = self.config.element;
        let bytes: Vec<u8> = cells.iter().flat_map(|&cell| encode(element, cell)).collect();
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let size = (bytes.len() as u64).next_multiple_of(4) + 16;
        let buffers = [0, 1].map(|_| {
            let label = Some("grid");
            self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label,
                size,
                usage,
                mapped_at_creation: false,
            })
        });
        let mut padded = bytes;
        // The cells behind the grid are NaN, and must not leak in.
        padded.resize(size as usize, 0xFF);
        self.gpu.queue.write_buffer(&buffers[0], 0, &padded);
        self.gpu.queue.write_buffer(&buffers[1], 0, &self.poisoned(&padded));
        buffers
    }

    /// The right-hand side on the GPU, with what is not a number behind it.
    pub fn rhs_buffer(&self) -> Option<wgpu::Buffer> {
        self.config.rhs.then(|| {
            let [buffer, _] = self.buffers(&self.rhs);
            buffer
        })
    }

    /// The cells in a buffer, if nothing was written behind them.
    pub fn read(&self, buffer: &wgpu::Buffer) -> Result<Vec<f64>, String> {
        let got = read(self.gpu, buffer);
        let (cells, behind) = got.split_at(self.config.bytes() as usize);
        if behind.iter().any(|byte| *byte != 0xFF) {
            return Err("something was written behind the grid".to_owned());
        }
        Ok(decode_all(self.config.element, cells))
    }

    /// The second buffer: its fixed cells as in the first, all others not a number.
    fn poisoned(&self, bytes: &[u8]) -> Vec<u8> {
        let size = self.config.element.size() as usize;
        let Grid { planes, rows, cols } = self.config.grid;
        let lengths = [cols, rows, planes];
        let mut poisoned = bytes.to_vec();
        for cell in 0..self.config.grid.cells() {
            let at = [
                cell % u64::from(cols),
                cell / u64::from(cols) % u64::from(rows),
                cell / u64::from(cols * rows),
            ];
            let pairs = self.config.borders.pairs();
            let (directions, radius) =
                (self.config.stencil.dims.count(), u64::from(self.config.stencil.radius()));
            let fixed = (0..directions).any(|d| {
                (at[d] < radius && pairs[d].0 == Border::Fixed)
                    || (at[d] + radius >= u64::from(lengths[d]) && pairs[d].1 == Border::Fixed)
            });
            if !fixed {
                poisoned[cell as usize * size..][..size].fill(0xFF);
            }
        }
        poisoned
    }
}

/// The buffers that steps are bound to.
pub fn grids<'a>(buffers: &'a [wgpu::Buffer; 2], rhs: Option<&'a wgpu::Buffer>) -> Grids<'a> {
    let grids = Grids::new(&buffers[0], &buffers[1]);
    rhs.map_or(grids, |rhs| grids.with_rhs(rhs))
}

/// Cells as 64-bit floats.
pub fn decode_all(element: Element, bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(element.size() as usize).map(|cell| decode(element, cell)).collect()
}

fn encode(element: Element, cell: f64) -> Vec<u8> {
    match element {
        Element::F16 => half::f16::from_f64(cell).to_le_bytes().to_vec(),
        Element::F64 => cell.to_le_bytes().to_vec(),
        _ => (cell as f32).to_le_bytes().to_vec(),
    }
}

fn decode(element: Element, bytes: &[u8]) -> f64 {
    match element {
        Element::F16 => half::f16::from_le_bytes([bytes[0], bytes[1]]).to_f64(),
        Element::F64 => bytemuck::pod_read_unaligned(bytes),
        _ => f64::from(bytemuck::pod_read_unaligned::<f32>(bytes)),
    }
}

/// All fixed, all mirrored, all periodic, and some of each.
pub fn borders() -> [Borders; 4] {
    let mixed = Borders {
        west: Border::Wrap,
        east: Border::Wrap,
        north: Border::Reflect,
        far: Border::Reflect,
        ..Borders::default()
    };
    [Borders::default(), Borders::all(Border::Reflect), Borders::all(Border::Wrap), mixed]
}

/// Borders that only the general kernels know: mirrors, constants, and all kinds but wrap together.
pub fn general_borders() -> [Borders; 3] {
    let [mirror, constant] = [Border::Mirror, Border::Constant(3.0)].map(Borders::all);
    let mixed = Borders {
        west: Border::Reflect,
        east: Border::Constant(-2.0),
        north: Border::Constant(1.0),
        south: Border::Mirror,
        near: Border::Fixed,
        far: Border::Constant(4.0),
    };
    [mirror, constant, mixed]
}

/// Weights for as many classes as a stencil may have: four, again and again.
pub fn repeated(weights: [f64; 4]) -> Weights {
    Weights::new(&weights.repeat(Weights::MOST.div_ceil(4))[..Weights::MOST])
}

/// Small integers, for which every order of additions is exact.
pub fn dyadic_cells(grid: Grid, seed: u64) -> Vec<f64> {
    let mut numbers = Random::new(seed);
    (0..grid.cells()).map(|_| (numbers.next() % 9) as f64 - 4.0).collect()
}
