//! Exact residuals: the root of the sum that whole numbers of any length give, bit by bit, and the step that follows from it.

use std::ops::Range;
use std::sync::OnceLock;

use halofold::Element;
use halofold::reduce::{Accuracy, Op};
use halofold::stencil::{
    Borders, Config, Convergence, FIVE_POINT, Grid, Jacobi, Norm, Outcome, StencilError, Until, Weights,
};
use libtest_mimic::{Failed, Trial};

use super::run::{Run, dyadic_cells, grids};
use crate::common::oracle::expected;
use crate::common::{Gpu, Random, gpu, limited, read};

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![crate::trial("stencil::residual::recorded", None, recorded)];
    for element in [Element::F32, Element::F64, Element::F16] {
        let kernel = super::Kernel { stencil: &FIVE_POINT, variant: FIVE_POINT.fastest_step() };
        let mut add = |what, check| trials.push(super::trial(kernel, element, what, check));
        add("exact residual", |_, element| sums_without_rounding(element));
        if element != Element::F16 {
            add("exact residual of odd cells", |_, element| special(element));
            add("exact residual stops", |_, element| stops(element));
        }
    }
    trials
}

/// A device that binds little, but some states of 64-bit floats.
fn small() -> &'static Gpu {
    static SMALL: OnceLock<Gpu> = OnceLock::new();
    SMALL.get_or_init(|| limited(|limits| limits.max_storage_buffer_binding_size = 48 << 10))
}

fn run(gpu: &'static Gpu, element: Element, grid: Grid) -> Run {
    let config = Config::new(&FIVE_POINT, FIVE_POINT.fastest_step(), element, grid);
    Run::new(gpu, config.with_borders(Borders::default()), FIVE_POINT.usual, 0)
}

/// The powers of two over which the cells of a grid are spread: of almost all that have squares, and of those whose squares are
/// just subnormal or just not.
fn powers(element: Element) -> [Range<i32>; 2] {
    match element {
        Element::F16 => [-6..6, -14..-8],
        Element::F64 => [-500..500, -514..-508],
        _ => [-40..40, -66..-60],
    }
}

fn rough(grid: Grid, powers: &Range<i32>, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let mut cell = || {
        let fraction = 1.0 + (random.next() >> 12) as f64 / 2f64.powi(52);
        let power = powers.start + (random.next() % powers.len() as u64) as i32;
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
        let outcome = Convergence::parse(&read(run.gpu, convergence.outcome()));
        Ok((outcome, [run.read(&buffers[0])?, run.read(&buffers[1])?]))
    })
}

fn exact(epsilon: f64) -> Until {
    Until::new(epsilon).with_norm(Norm::L2).with_accuracy(Accuracy::Exact).with_every(1000)
}

/// The sum of squares as whole numbers give it; each difference and each square is rounded, and subnormal ones are zero.
fn squares(element: Element, [old, new]: &[Vec<f64>; 2]) -> f64 {
    let wide = element == Element::F64;
    let rounded = |x: f64| if wide { x } else { f64::from(x as f32) };
    let smallest = if wide { f64::MIN_POSITIVE } else { f32::MIN_POSITIVE.into() };
    let number = |x: f64| if rounded(x).abs() < smallest { 0.0 } else { rounded(x) };
    let square = |(old, new): (&f64, &f64)| {
        let change = number(number(*old) - number(*new));
        number(change * change)
    };
    let squares: Vec<f64> = old.iter().zip(new).map(square).collect();
    let sum = |element, bytes: &[u8]| expected(Op::Sum, element, bytes, None);
    if wide {
        return f64::from_bits(sum(Element::F64, bytemuck::cast_slice(&squares)));
    }
    let squares: Vec<f32> = squares.into_iter().map(|square| square as f32).collect();
    f32::from_bits(sum(Element::F32, bytemuck::cast_slice(&squares)) as u32).into()
}

fn sums_without_rounding(element: Element) -> Result<(), Failed> {
    for (gpu, grid) in [
        (gpu(), Grid::plane(3, 3)),
        (gpu(), Grid::plane(37, 43)),
        (gpu(), Grid::plane(300, 301)),
        (small(), Grid::plane(420, 64)),
    ] {
        let run = run(gpu, element, grid);
        let [wide, low] = powers(element);
        for (steps, powers) in [(1, &wide), (2, &low), (7, &wide)] {
            let (outcome, grids) = outcome(&run, &rough(grid, powers, steps.into()), exact(0.0), steps)?;
            let wanted = squares(element, &grids).sqrt().max(outcome.max);
            let is_same = outcome.l2.to_bits() == wanted.to_bits();
            assert!(is_same, "{grid} of {element}, {steps} steps: {outcome:?}, not {wanted:e}");
        }
    }
    Ok(())
}

/// Steps without any rounding leave equal grids on every adapter: the sum is written down.
fn recorded() -> Result<(), Failed> {
    let grid = Grid::plane(100, 90);
    let mut run = run(gpu(), Element::F32, grid);
    run.weights = Weights::new(&[0.5, 0.125, 0.0, 0.0]);
    let (outcome, grids) = outcome(&run, &dyadic_cells(grid, 5), exact(0.0), 4)?;
    let wanted = squares(Element::F32, &grids).sqrt();
    assert_eq!([outcome.l2, wanted].map(f64::to_bits), [0x402f_32a6_d029_3f0b; 2]);
    Ok(())
}

/// Infinities and NaN in a grid: never small.
fn special(element: Element) -> Result<(), Failed> {
    let grid = Grid::plane(20, 20);
    let run = run(gpu(), element, grid);
    let large = if element == Element::F64 { 1e308 } else { 1e38 };
    for (value, is_nan) in [(f64::NAN, true), (f64::INFINITY, true), (large, false)] {
        let mut cells = vec![0.0; grid.cells() as usize];
        cells[150] = value;
        let (outcome, _) = outcome(&run, &cells, exact(1e30), 3)?;
        assert_eq!((outcome.converged, outcome.l2.is_nan()), (false, is_nan), "{value}: {outcome:?}");
    }
    Ok(())
}

/// Epsilon as close to the root of the last check as floats are: one above stops the run, one below does not.
fn stops(element: Element) -> Result<(), Failed> {
    let grid = Grid::plane(60, 70);
    let run = run(gpu(), element, grid);
    let cells = rough(grid, &(0..1), 3).into_iter().map(f64::signum).collect::<Vec<_>>();
    let every = exact(0.0).with_every(1);
    let (at, _) = outcome(&run, &cells, every, 30)?;
    let [below, above] = if element == Element::F64 {
        [at.l2.next_down(), at.l2.next_up()]
    } else {
        [(at.l2 as f32).next_down().into(), (at.l2 as f32).next_up().into()]
    };
    for (epsilon, converged) in [(below, false), (above, true)] {
        let mut until = every;
        until.epsilon = epsilon;
        let (outcome, _) = outcome(&run, &cells, until, 30)?;
        assert_eq!((outcome.steps, outcome.converged), (30, converged), "{until:?}");
    }
    Ok(())
}
