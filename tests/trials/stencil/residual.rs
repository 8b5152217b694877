//! Exact residuals: the root of the sum that whole numbers of any length give, bit by bit, and the step that follows from it.

use std::ops::Range;

use halofold::Element;
use halofold::reduce::{Accuracy, Op};
use halofold::stencil::{Config, FIVE_POINT, Grid, Norm, Until};

use super::Kernel;
use super::run::{Run, random_cells};
use crate::Checked;
use crate::common::oracle::expected;
use crate::common::{Gpu, Shared, decode, encode, gpu, limited};

/// A device that binds little, but some states of 64-bit floats.
fn small() -> &'static Gpu {
    static SMALL: Shared = Shared::new(|| limited(|most| most.max_storage_buffer_binding_size = 48 << 10));
    &SMALL
}

fn run(gpu: &'static Gpu, element: Element, grid: Grid) -> Run {
    let config = Config::new(&FIVE_POINT, FIVE_POINT.fastest_step(), element, grid);
    Run::new(gpu, config, FIVE_POINT.usual, 0)
}

/// Powers of two over which cells spread: nearly all that have squares, and those whose squares are barely subnormal or not.
fn powers(element: Element) -> [Range<i32>; 2] {
    match element {
        Element::F16 => [-6..6, -14..-8],
        Element::F64 => [-500..500, -514..-508],
        _ => [-40..40, -66..-60],
    }
}

fn rough(grid: Grid, powers: &Range<i32>, seed: u64) -> Vec<f64> {
    random_cells(grid, seed, |word| {
        let fraction = f64::from_bits(1f64.to_bits() | word >> 12);
        let power = powers.start + (word % powers.len() as u64) as i32;
        let sign = if word >> 11 & 1 == 1 { 1.0 } else { -1.0 };
        sign * fraction * 2f64.powi(power)
    })
}

/// Checks behind the last step only.
fn exact(epsilon: f64) -> Until {
    Until::new(epsilon).with_norm(Norm::L2).with_accuracy(Accuracy::Exact).with_every(1000)
}

/// The sum of squares as whole numbers give it; each difference and each square is rounded, and subnormal ones are zero.
fn squares(element: Element, [old, new]: &[Vec<f64>; 2]) -> f64 {
    let element = if element == Element::F64 { element } else { Element::F32 };
    let number = |x: f64| {
        let (rounded, smallest) = match element {
            Element::F64 => (x, f64::MIN_POSITIVE),
            _ => (f64::from(x as f32), f32::MIN_POSITIVE.into()),
        };
        if rounded.abs() < smallest { 0.0 } else { rounded }
    };
    let square = |(old, new): (&f64, &f64)| {
        let change = number(number(*old) - number(*new));
        number(change * change)
    };
    let squares = encode(element, old.iter().zip(new).map(square));
    decode(element, &expected(Op::Sum, element, &squares, None).to_le_bytes())[0]
}

pub fn sums_without_rounding(_: Kernel, element: Element) -> Checked {
    for (gpu, grid) in [
        (gpu(), Grid::plane(3, 3)),
        (gpu(), Grid::plane(37, 43)),
        (gpu(), Grid::plane(300, 301)),
        (small(), Grid::plane(420, 64)),
    ] {
        let run = run(gpu, element, grid);
        let [wide, low] = powers(element);
        for (steps, powers) in [(1, &wide), (2, &low), (7, &wide)] {
            let (outcome, grids) = run.until(&rough(grid, powers, steps.into()), exact(0.0), steps)?;
            let want = squares(element, &grids).sqrt().max(outcome.max);
            let is_same = outcome.l2.to_bits() == want.to_bits();
            assert!(is_same, "{grid} of {element}, {steps} steps: {outcome:?}, not {want:e}");
        }
    }
    Ok(())
}

/// Infinities and NaN in a grid: never small, by any norm. NaN ends a run at its first check.
pub fn special(_: Kernel, element: Element) -> Checked {
    let run = run(gpu(), element, Grid::plane(20, 20));
    let large = if element == Element::F64 { 1e308 } else { 1e38 };
    for until in [exact(1e30), Until::new(1e30), Until::new(1e30).with_norm(Norm::L2)] {
        for (value, is_nan) in [(f64::NAN, true), (f64::INFINITY, true), (large, false)] {
            let mut cells = vec![0.0; 400];
            cells[150] = value;
            let (outcome, _) = run.until(&cells, until.with_every(3), 8)?;
            let end = (outcome.steps, outcome.converged, outcome.is_nan(), outcome.l2.is_nan());
            assert_eq!(
                end,
                (if is_nan { 3 } else { 8 }, false, is_nan, is_nan),
                "{value}, {until:?}: {outcome:?}"
            );
        }
    }
    Ok(())
}

/// Epsilon as close to the root of the last check as floats are: one above stops the run, one below does not.
pub fn stops(_: Kernel, element: Element) -> Checked {
    let run = run(gpu(), element, Grid::plane(60, 70));
    let cells: Vec<_> = rough(run.config.grid, &(0..1), 3).into_iter().map(f64::signum).collect();
    let until = |epsilon| run.until(&cells, exact(epsilon).with_every(1), 30);
    let root = until(0.0)?.0.l2;
    let [below, above] = if element == Element::F64 {
        [root.next_down(), root.next_up()]
    } else {
        [(root as f32).next_down().into(), (root as f32).next_up().into()]
    };
    for (epsilon, converged) in [(below, false), (above, true)] {
        let (outcome, _) = until(epsilon)?;
        assert_eq!((outcome.steps, outcome.converged), (30, converged), "{epsilon:e}");
    }
    Ok(())
}
