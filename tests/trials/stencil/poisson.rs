//! Poisson problems by damped Jacobi steps, to their known discrete solutions.
//!
//! A stencil that averages, `A`, makes a discrete Laplacian `I - A`. For any grid `u*` the problem `u - A u = f` with
//! `f = u* - A u*` and the values of `u*` at its fixed sides has `u*` as its only solution, and damped steps
//! `u' = (1 - ω) u + ω (A u + f)` come to it from wherever they start: weights and a right-hand side make one step of that.

use halofold::Element;
use halofold::stencil::reference::Problem;
use halofold::stencil::{Border, Borders, Norm, Stencil, Until, Weights};

use super::Kernel;
use super::run::{Run, is_fixed, places};
use crate::Checked;
use crate::common::gpu;

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

/// From zero inside, over a grid whose slowest mode is gone after 1000 steps. In 64 bits the run ends at the CPU's step.
pub fn solves(kernel: Kernel, element: Element) -> Checked {
    let grid = kernel.grid([9, 12], [5, 7, 8]);
    let borders = Borders { west: Border::Reflect, ..Borders::default() };
    let config = kernel.quick_config(element, grid, borders);
    let solution: Vec<_> = places(grid).map(solution).collect();
    let mut averaged = solution.clone();
    Problem::new(kernel.stencil, kernel.stencil.usual, grid, borders).step(&solution, &mut averaged);
    let rhs = solution.iter().zip(&averaged).map(|(own, averaged)| DAMPING * (own - averaged)).collect();
    let start = places(grid).zip(&solution);
    let start = start.map(|(at, own)| if is_fixed(&config, at) { *own } else { 0.0 });
    let start: Vec<_> = start.collect();
    let is_far = start.iter().zip(&solution).any(|(start, end)| (start - end).abs() > 0.5);
    assert!(is_far, "a start that is the solution would prove nothing");

    let run = Run::new(gpu(), config, damped(kernel.stencil), 1000).with_rhs(rhs);
    if element != Element::F64 {
        return run.near(&run.on_gpu(&start)?, &solution, 1e-4);
    }
    let until = Until::new(1e-11).with_norm(Norm::L2).with_every(25);
    let (_, expected) = run.problem().until(&start, 10_000, until);
    let (outcome, grids) = run.until(&start, until, 10_000)?;
    assert_eq!((outcome.steps, outcome.converged), (expected.steps, true));
    run.near(&grids[usize::from(!outcome.in_first())], &solution, 1e-9)
}
