//! Poisson problems by damped Jacobi steps, to their known discrete solutions.
//!
//! A stencil that averages, `A`, makes a discrete Laplacian `I - A`. For any grid `u*` the problem `u - A u = f` with
//! `f = u* - A u*` and the values of `u*` at its fixed sides has `u*` as its only solution, and damped steps
//! `u' = (1 - ω) u + ω (A u + f)` come to it from wherever they start: weights and a right-hand side make one step of that.

use halofold::Element;
use halofold::stencil::reference::Problem;
use halofold::stencil::{Border, Borders, Grid, Norm, Stencil, Until, Weights};

use super::Kernel;
use super::run::{Run, is_fixed, places};
use super::windows::{long_grids, small};
use crate::Checked;
use crate::common::{Gpu, gpu};

/// The share of the new value in each step.
const DAMPING: f64 = 0.8;

/// Weights of a damped step with the stencil's usual averages.
fn damped(stencil: &Stencil) -> Weights {
    let weights = stencil.classes.iter().enumerate().map(|(class, cells)| {
        let own = if *cells == [[0; 3]] { 1.0 - DAMPING } else { 0.0 };
        own + DAMPING * stencil.usual[class]
    });
    Weights::new(&weights.collect::<Vec<_>>())
}

/// A smooth hill and a slope, far from zero at the sides.
fn solution(at: [u32; 3]) -> f64 {
    let [x, y, z] = at.map(f64::from);
    (0.7 * x).sin() * (0.4 * y + 0.3 * z).cos() + 0.05 * (x - y + z)
}

/// The problem, and where it starts: its solution at the fixed sides, zero inside.
struct Poisson {
    run: Run,
    start: Vec<f64>,
    solution: Vec<f64>,
}

impl Poisson {
    /// Over a grid whose slowest mode is gone after a thousand steps.
    fn new(kernel: Kernel, element: Element, steps: u32) -> Self {
        Poisson::over(gpu(), kernel, element, kernel.grid([9, 12], [5, 7, 8]), steps)
    }

    fn over(gpu: &'static Gpu, kernel: Kernel, element: Element, grid: Grid, steps: u32) -> Self {
        let borders = Borders { west: Border::Reflect, ..Borders::default() };
        let config = kernel.quick_config(element, grid, borders);
        let solution: Vec<_> = places(grid).map(solution).collect();
        let mut averaged = solution.clone();
        Problem::new(kernel.stencil, kernel.stencil.usual, grid, borders).step(&solution, &mut averaged);
        let rhs = solution.iter().zip(&averaged).map(|(own, averaged)| DAMPING * (own - averaged)).collect();
        let start = places(grid).zip(&solution);
        let start = start.map(|(at, own)| if is_fixed(&config, at) { *own } else { 0.0 }).collect();
        Poisson { run: Run::new(gpu, config, damped(kernel.stencil), steps).with_rhs(rhs), start, solution }
    }

    fn check(&self, got: &[f64], tolerance: f64) -> Checked {
        let is_far = self.start.iter().zip(&self.solution).any(|(start, end)| (start - end).abs() > 0.5);
        assert!(is_far, "a start that is the solution would prove nothing");
        self.run.near(got, &self.solution, tolerance)
    }
}

pub fn solves(kernel: Kernel, element: Element) -> Checked {
    let poisson = Poisson::new(kernel, element, 1000);
    poisson.check(&poisson.run.on_gpu(&poisson.start)?, 1e-4)
}

/// A run that ends at the step at which the CPU's does.
pub fn solves_until(kernel: Kernel, element: Element) -> Checked {
    let poisson = Poisson::new(kernel, element, 0);
    let until = Until::new(1e-11).with_norm(Norm::L2).with_every(25);
    let (_, expected) = poisson.run.problem().until(&poisson.start, 10_000, until);
    let (outcome, grids) = poisson.run.until(&poisson.start, until, 10_000)?;
    let ends = [&outcome, &expected].map(|end| (end.steps, end.converged));
    assert_eq!(ends, [(expected.steps, true); 2]);
    poisson.check(&grids[usize::from(!outcome.in_first())], 1e-9)
}

/// A grid past one binding: not solved, which takes long, but stepped as the CPU does.
pub fn solves_in_windows(kernel: Kernel, element: Element) -> Checked {
    let grid = long_grids(kernel.stencil.dims)[0];
    let Poisson { run, start, .. } = Poisson::over(small(), kernel, element, grid, 9);
    run.near(&run.on_gpu(&start)?, &run.on_cpu(&start), 1e-4)
}
