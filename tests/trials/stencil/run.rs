//! Some steps on the GPU, and the same on the CPU.

use halofold::stencil::reference::Problem;
use halofold::stencil::{Border, Borders, Config, Convergence, Grid, Grids, Jacobi, Outcome, Until, Weights};
use halofold::{Compiled, wgpu};

use crate::common::{Gpu, Random, compile, decode, encode, is_poison, poison, poisoned, read};
use crate::{Checked, watched};

/// Runs steps on the GPU and on the CPU; the GPU's values come back as 64-bit floats.
pub struct Run {
    pub gpu: &'static Gpu,
    pub config: Config,
    pub weights: Weights,
    pub steps: u32,
    /// The right-hand side, if the configuration has one.
    rhs: Vec<f64>,
}

/// The grids of a run on its GPU.
pub struct OnGpu {
    pub both: [wgpu::Buffer; 2],
    pub rhs: Option<wgpu::Buffer>,
}

impl OnGpu {
    /// What steps are bound to.
    pub fn grids(&self) -> Grids<'_> {
        let grids = Grids::new(&self.both[0], &self.both[1]);
        self.rhs.as_ref().map_or(grids, |rhs| grids.with_rhs(rhs))
    }
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
        self.problem().until(cells, self.steps, Until::new(0.0).with_every(u32::MAX)).0
    }

    pub fn jacobi(&self) -> Checked<Compiled<Jacobi>> {
        Ok(compile(&self.gpu.device, Jacobi::new(self.config, self.weights))?)
    }

    pub fn on_gpu(&self, cells: &[f64]) -> Checked<Vec<f64>> {
        watched(self.gpu, || {
            let grids = self.upload(cells);
            let stepper = self.jacobi()?.bind(grids.grids())?;
            self.gpu.submit(|encoder| stepper.encode(encoder, self.steps));
            self.read(&grids.both[self.steps as usize % 2])
        })
    }

    /// Steps until changes are small, in one submission: the outcome, and both grids.
    pub fn until(&self, cells: &[f64], until: Until, steps: u32) -> Checked<(Outcome, [Vec<f64>; 2])> {
        watched(self.gpu, || {
            let grids = self.upload(cells);
            let convergence = self.jacobi()?.bind_until(grids.grids(), until)?;
            self.gpu.submit(|encoder| convergence.encode(encoder, 0..steps));
            let [first, second] = &grids.both;
            Ok((self.outcome(&convergence), [self.read(first)?, self.read(second)?]))
        })
    }

    pub fn outcome(&self, convergence: &Convergence) -> Outcome {
        Convergence::parse(&read(self.gpu, convergence.outcome()))
    }

    /// Compares what both compute, bit for bit.
    pub fn check(&self, cells: &[f64]) -> Checked {
        self.near(&self.on_gpu(cells)?, &self.on_cpu(cells), 0.0)
    }

    /// Compares cells within a bound, which NaN never is.
    pub fn near(&self, got: &[f64], expected: &[f64], bound: f64) -> Checked {
        // Infinities are equal, and have no difference.
        let is_near = |at: &usize| got[*at] == expected[*at] || (got[*at] - expected[*at]).abs() <= bound;
        let Some(at) = (0..expected.len()).find(|at| !is_near(at)) else { return Ok(()) };
        let Config { grid, borders, rhs, tuning, .. } = self.config;
        let subgroup = self.gpu.device.adapter_info().subgroup_max_size;
        Err(format!(
            "{grid}, {borders:?}, rhs {rhs}, {} steps, {tuning:?}, subgroups of up to {subgroup}: \
             cell {at} is {}, expected {} ± {bound:e}",
            self.steps, got[at], expected[at]
        )
        .into())
    }

    /// The grids before the first step, with poison behind each. Of the second one only the fixed cells are numbers.
    pub fn upload(&self, cells: &[f64]) -> OnGpu {
        let bytes = |cells: &[f64]| encode(self.config.element, cells.iter().copied());
        let first = bytes(cells);
        let mut second = poison(first.len().next_multiple_of(4));
        second.truncate(first.len());
        let size = self.config.element.size() as usize;
        for (cell, _) in places(self.config.grid).enumerate().filter(|(_, at)| is_fixed(&self.config, *at)) {
            let cell = cell * size..(cell + 1) * size;
            second[cell.clone()].copy_from_slice(&first[cell]);
        }
        let rhs = self.config.rhs.then(|| poisoned(self.gpu, &bytes(&self.rhs), 0));
        OnGpu { both: [first, second].map(|bytes| poisoned(self.gpu, &bytes, 0)), rhs }
    }

    /// The cells in a buffer, if nothing was written behind them.
    pub fn read(&self, buffer: &wgpu::Buffer) -> Checked<Vec<f64>> {
        let (got, size) = (read(self.gpu, buffer), self.config.bytes() as usize);
        if got.iter().enumerate().skip(size).any(|(at, byte)| !is_poison(at, *byte)) {
            return Err("something was written behind the grid".into());
        }
        Ok(decode(self.config.element, &got[..size]))
    }
}

/// The column, the row and the plane of each cell, in order.
pub fn places(Grid { planes, rows, cols }: Grid) -> impl Iterator<Item = [u32; 3]> {
    let row = move |y, z| (0..cols).map(move |x| [x, y, z]);
    (0..planes).flat_map(move |z| (0..rows).flat_map(move |y| row(y, z)))
}

/// Returns true if a cell keeps its value, as the stencil reaches over a fixed side.
pub fn is_fixed(config: &Config, at: [u32; 3]) -> bool {
    let Grid { planes, rows, cols } = config.grid;
    let (sides, radius) = (config.borders.pairs(), config.stencil.radius());
    (0..config.stencil.dims.count()).any(|d| {
        let reaches = [at[d] < radius, at[d] + radius >= [cols, rows, planes][d]];
        reaches[0] && sides[d].0 == Border::Fixed || reaches[1] && sides[d].1 == Border::Fixed
    })
}

/// All fixed, all mirrored, all periodic, some of each, and one kind beyond the last layer, which most slabs do not see.
pub fn borders() -> [Borders; 5] {
    let (reflect, wrap) = (Border::Reflect, Border::Wrap);
    let fixed = Borders::default();
    let mixed = Borders { west: wrap, east: wrap, north: reflect, far: reflect, ..fixed };
    let faces = Borders { south: reflect, far: reflect, ..fixed };
    [fixed, Borders::all(reflect), Borders::all(wrap), mixed, faces]
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

/// Cells that are made of pseudo-random words.
pub fn random_cells(grid: Grid, seed: u64, cell: impl Fn(u64) -> f64) -> Vec<f64> {
    let mut numbers = Random::new(seed);
    (0..grid.cells()).map(|_| cell(numbers.next())).collect()
}

/// Small integers, for which every order of additions is exact.
pub fn dyadic_cells(grid: Grid, seed: u64) -> Vec<f64> {
    random_cells(grid, seed, |word| (word % 9) as f64 - 4.0)
}
