//! Poisson problems by damped Jacobi steps, to their known discrete solutions.
//!
//! A stencil that averages, `A`, makes a discrete Laplacian `I - A`. For any grid `u*` the problem `u - A u = f` with
//! `f = u* - A u*` and the values of `u*` at its fixed sides has `u*` as its only solution, and damped steps
//! `u' = (1 - ω) u + ω (A u + f)` come to it from wherever they start: weights and a right-hand side make one step of that.

use halofold::Element;
use halofold::stencil::Convergence;
use halofold::stencil::reference::Problem;
use halofold::stencil::{Border, Borders, Dims, Grid, Jacobi, Norm, Stencil, Until, Weights};
use libtest_mimic::{Failed, Trial};

use super::Kernel;
use super::composed::Composition;
use super::run::{Run, grids};
use super::windows::small;
use crate::common::{fastest, gpu, read};

/// The share of the new value in each step.
const DAMPING: f64 = 0.8;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for kernel in Kernel::all() {
        trials.push(super::trial(kernel, Element::F32, "poisson", solves));
    }
    for kernel in Kernel::all().filter(|kernel| std::ptr::eq(kernel.variant, fastest(kernel.stencil))) {
        trials.push(super::trial(kernel, Element::F64, "poisson until", solves_until));
        trials.push(super::trial(kernel, Element::F32, "poisson windows", solves_in_windows));
    }
    trials
}

/// Weights of a damped step with the stencil's usual averages.
fn damped(stencil: &Stencil) -> Weights {
    let weights = stencil.classes.iter().enumerate().map(|(class, cells)| {
        let own = if *cells == [[0; 3]] { 1.0 - DAMPING } else { 0.0 };
        own + DAMPING * stencil.usual[class]
    });
    Weights::new(&weights.collect::<Vec<_>>())
}

/// A smooth hill and a slope, far from zero at the sides.
fn solution(grid: Grid) -> Vec<f64> {
    let (cols, rows) = (u64::from(grid.cols), u64::from(grid.rows));
    let value = |cell: u64| {
        let [x, y, z] = [cell % cols, cell / cols % rows, cell / cols / rows].map(|at| at as f64);
        (0.7 * x).sin() * (0.4 * y + 0.3 * z).cos() + 0.05 * (x - y + z)
    };
    (0..grid.cells()).map(value).collect()
}

/// The problem, and where it starts: its solution at the fixed sides, zero inside.
struct Poisson {
    run: Run,
    start: Vec<f64>,
    solution: Vec<f64>,
}

impl Poisson {
    fn new(
        gpu: &'static crate::common::Gpu,
        kernel: Kernel,
        element: Element,
        grid: Grid,
        steps: u32,
    ) -> Self {
        let Kernel { stencil, .. } = kernel;
        let borders = Borders { west: Border::Reflect, ..Borders::default() };
        let solution = solution(grid);
        let (mut averaged, mut start) = (solution.clone(), vec![0.0; solution.len()]);
        Problem::new(stencil, stencil.usual, grid, borders).step(&solution, &mut averaged);
        let rhs = solution.iter().zip(&averaged).map(|(own, averaged)| DAMPING * (own - averaged)).collect();
        // Steps over nothing, with ones on the right-hand side, tell the fixed cells from the others.
        let (ones, nothing) = (vec![1.0; start.len()], start.clone());
        Problem::new(stencil, stencil.usual, grid, borders).with_rhs(&ones).step(&nothing, &mut start);
        let start = start.iter().zip(&solution).map(|(free, own)| if *free == 1.0 { 0.0 } else { *own });
        let start = start.collect();
        let config = Composition::of_blocked(kernel, kernel.config(element, grid).with_borders(borders));
        let run = Run::new(gpu, config, damped(stencil), steps).with_rhs(rhs);
        Poisson { run, start, solution }
    }

    fn check(&self, got: &[f64], tolerance: f64) -> Result<(), Failed> {
        let errors = got.iter().zip(&self.solution).map(|(got, expected)| (got - expected).abs());
        let worst = errors.fold(0.0, f64::max);
        // A start that is the solution would prove nothing.
        let far = self.start.iter().zip(&self.solution).any(|(start, end)| (start - end).abs() > 0.5);
        if worst <= tolerance && far { Ok(()) } else { Err(format!("off by {worst:e}").into()) }
    }
}

/// A grid whose slowest mode is gone after a thousand steps.
fn grid(stencil: &Stencil) -> Grid {
    match stencil.dims {
        Dims::Three => Grid { planes: 5, rows: 7, cols: 8 },
        _ => Grid::plane(9, 12),
    }
}

fn solves(kernel: Kernel, element: Element) -> Result<(), Failed> {
    let poisson = Poisson::new(gpu(), kernel, element, grid(kernel.stencil), 1000);
    poisson.check(&poisson.run.on_gpu(&poisson.start)?, 1e-4)
}

/// A run that ends at the step at which the CPU's does.
fn solves_until(kernel: Kernel, element: Element) -> Result<(), Failed> {
    let poisson = Poisson::new(gpu(), kernel, element, grid(kernel.stencil), 0);
    let run = &poisson.run;
    let until = Until::new(1e-11).with_norm(Norm::L2).with_every(25);
    let (_, expected) = run.problem().until(&poisson.start, 10_000, until);
    let (buffers, rhs) = (run.buffers(&poisson.start), run.rhs_buffer());
    let device = &run.gpu.device;
    let jacobi = Jacobi::new(device, run.config, run.weights)?;
    let convergence = jacobi.prepare_until(grids(&buffers, rhs.as_ref()), until)?;
    let mut encoder = device.create_command_encoder(&Default::default());
    convergence.encode(&mut encoder, 0..10_000);
    run.gpu.queue.submit([encoder.finish()]);
    let outcome = Convergence::parse(&read(run.gpu, convergence.outcome()));
    let ends = [&outcome, &expected].map(|end| (end.steps, end.converged));
    assert_eq!(ends, [(expected.steps, true); 2]);
    poisson.check(&run.read(&buffers[usize::from(!outcome.in_first())])?, 1e-9)
}

/// A grid past one binding: not solved, which takes long, but stepped as the CPU does.
fn solves_in_windows(kernel: Kernel, element: Element) -> Result<(), Failed> {
    let grid = super::windows::long_grids(kernel.stencil.dims)[0];
    let poisson = Poisson::new(small(), kernel, element, grid, 9);
    let (got, expected) = (poisson.run.on_gpu(&poisson.start)?, poisson.run.on_cpu(&poisson.start));
    let worst = got.iter().zip(&expected).map(|(got, expected)| (got - expected).abs()).fold(0.0, f64::max);
    if worst < 1e-4 { Ok(()) } else { Err(format!("off by {worst:e}").into()) }
}
