//! Exact residuals: the root of the sum that whole numbers of any length give, bit by bit, and the step that follows from it.

use halofold::Element;
use halofold::reduce::{Accuracy, Op};
use halofold::stencil::{
    Borders, Config, Convergence, FIVE_POINT, Grid, Jacobi, Norm, Outcome, StencilError, Until, Weights,
};
use libtest_mimic::{Failed, Trial};

use crate::common::{Random, gpu};
use crate::oracle::expected;
use crate::run::{Run, dyadic_cells, grids, read_back};
use crate::windows::small;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("residual::exact of f32", || sums_without_rounding(Element::F32)),
        crate::trial(
            crate::Kernel { stencil: &FIVE_POINT, variant: FIVE_POINT.fastest_step() },
            Element::F16,
            "exact residual",
            |_, element| sums_without_rounding(element),
        ),
        Trial::test("residual::recorded", recorded),
        Trial::test("residual::special", special),
        Trial::test("residual::stops", stops),
        Trial::test("residual::refused", refused),
    ]
}

fn run(gpu: &'static crate::common::Gpu, element: Element, grid: Grid) -> Run {
    let config = Config::new(&FIVE_POINT, FIVE_POINT.fastest_step(), element, grid);
    Run::new(gpu, config.with_borders(Borders::default()), FIVE_POINT.usual, 0)
}

/// A grid over twenty magnitudes.
fn rough(grid: Grid, element: Element, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let magnitudes = if element == Element::F16 { 12 } else { 80 };
    let mut cell = || {
        let fraction = 1.0 + f64::from(random.next() as u16) / 65536.0;
        let power = (random.next() % magnitudes) as i32 - magnitudes as i32 / 2;
        if random.next() & 1 == 1 { fraction * 2f64.powi(power) } else { -fraction * 2f64.powi(power) }
    };
    (0..grid.cells()).map(|_| cell()).collect()
}

/// Some steps with a check behind the last one: the outcome, and both grids.
fn outcome(run: &Run, cells: &[f64], until: Until, steps: u32) -> Result<(Outcome, [Vec<f64>; 2]), String> {
    run.gpu.watched(|| {
        let buffers = run.buffers(cells);
        let text = |error: StencilError| error.to_string();
        let jacobi = Jacobi::new(&run.gpu.device, run.config, run.weights).map_err(text)?;
        let convergence = jacobi.prepare_until(grids(&buffers, None), until).map_err(text)?;
        let mut encoder = run.gpu.device.create_command_encoder(&Default::default());
        convergence.encode(&mut encoder, 0..steps);
        run.gpu.queue.submit([encoder.finish()]);
        let outcome = Convergence::parse(&read_back(run.gpu, convergence.outcome())?);
        Ok((outcome, [run.read(&buffers[0])?, run.read(&buffers[1])?]))
    })
}

fn exact(epsilon: f64) -> Until {
    Until::new(epsilon).with_norm(Norm::L2).with_accuracy(Accuracy::Exact).with_every(1000)
}

/// A float, or zero if it is subnormal.
fn flushed(x: f32) -> f32 {
    if x.is_subnormal() { 0.0 } else { x }
}

/// The sum of squares as whole numbers give it.
fn squares([old, new]: &[Vec<f64>; 2]) -> f32 {
    let square = |(old, new): (&f64, &f64)| {
        let change = flushed(flushed(*old as f32) - flushed(*new as f32));
        flushed(change * change)
    };
    let squares: Vec<f32> = old.iter().zip(new).map(square).collect();
    f32::from_bits(expected(Op::Sum, Element::F32, bytemuck::cast_slice(&squares), None) as u32)
}

fn sums_without_rounding(element: Element) -> Result<(), Failed> {
    for (gpu, grid) in [
        (gpu(), Grid::plane(3, 3)),
        (gpu(), Grid::plane(37, 43)),
        (gpu(), Grid::plane(300, 301)),
        (small(), Grid::plane(150, 64)),
    ] {
        let run = run(gpu, element, grid);
        for steps in [1, 2, 7] {
            let (outcome, grids) = outcome(&run, &rough(grid, element, steps.into()), exact(0.0), steps)?;
            let wanted = f64::from(squares(&grids)).sqrt().max(outcome.max);
            if outcome.l2.to_bits() != wanted.to_bits() {
                return Err(format!("{grid} of {element}, {steps} steps: {outcome:?}, not {wanted:e}").into());
            }
        }
    }
    Ok(())
}

/// Steps without any rounding leave equal grids on every adapter: the sum is written down.
fn recorded() -> Result<(), Failed> {
    let grid = Grid::plane(100, 90);
    let mut run = run(gpu(), Element::F32, grid);
    run.weights = Weights([0.5, 0.125, 0.0, 0.0]);
    let (outcome, grids) = outcome(&run, &dyadic_cells(grid, 5), exact(0.0), 4)?;
    let wanted = f64::from(squares(&grids)).sqrt();
    if [outcome.l2, wanted].map(f64::to_bits) != [0x402f_32a6_d029_3f0b; 2] {
        return Err(format!("{outcome:?}, not {wanted:e}").into());
    }
    Ok(())
}

/// Infinities and NaN in a grid: never small.
fn special() -> Result<(), Failed> {
    let grid = Grid::plane(20, 20);
    let run = run(gpu(), Element::F32, grid);
    for (value, is_nan) in [(f64::NAN, true), (f64::INFINITY, true), (1e38, false)] {
        let mut cells = vec![0.0; grid.cells() as usize];
        cells[150] = value;
        let (outcome, _) = outcome(&run, &cells, exact(1e30), 3)?;
        if outcome.converged || outcome.l2.is_nan() != is_nan {
            return Err(format!("{value}: {outcome:?}").into());
        }
    }
    Ok(())
}

/// Epsilon as close to the root of the last check as floats are: one above stops the run, one below does not.
fn stops() -> Result<(), Failed> {
    let grid = Grid::plane(60, 70);
    let run = run(gpu(), Element::F32, grid);
    let cells = rough(grid, Element::F32, 3).into_iter().map(|cell| cell.signum()).collect::<Vec<_>>();
    let every = exact(0.0).with_every(1);
    let (at, _) = outcome(&run, &cells, every, 30)?;
    let nearest = at.l2 as f32;
    for (epsilon, converged) in [(nearest.next_down(), false), (nearest.next_up(), true)] {
        let mut until = every;
        until.epsilon = epsilon.into();
        let (outcome, _) = outcome(&run, &cells, until, 30)?;
        if (outcome.steps, outcome.converged) != (30, converged) {
            return Err(format!("{until:?}: {outcome:?}").into());
        }
    }
    Ok(())
}

fn refused() -> Result<(), Failed> {
    if !gpu().device.features().contains(Element::F64.feature()) {
        return Ok(());
    }
    match outcome(&run(gpu(), Element::F64, Grid::plane(9, 9)), &[0.0; 81], exact(1.0), 1) {
        Err(message) if message.contains("f64 has no exact form") => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}
