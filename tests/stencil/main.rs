//! Every stencil variant against the CPU, on the adapter at hand.
//!
//! On dyadic data (small integers, weights that are powers of two) every order of additions is exact, so results are
//! compared bit for bit over the whole grid, borders included; on random data within a bound that follows from the
//! operations of a cell and the steps. What the adapter cannot run is listed as ignored, with the reason.

#[path = "../common/mod.rs"]
mod common;
mod field;
mod run;
mod shape;
mod until;
mod windows;

use common::{Random, gpu};
use halofold::Element;
use halofold::stencil::{Block, Border, Borders, Coefficients, Grid, Job, Points, Tuning, VARIANTS, Variant};
use libtest_mimic::{Arguments, Failed, Trial};
use run::{Run, borders, dyadic_cells};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for variant in VARIANTS {
        for element in [Element::F32, Element::F64, Element::F16] {
            trials.push(trial(variant, element, "dyadic", dyadic));
        }
        trials.push(trial(variant, Element::F32, "random", random));
        trials.push(trial(variant, Element::F32, "eigenmodes", eigenmodes));
    }
    trials.extend(shape::trials());
    trials.extend(windows::trials());
    trials.extend(until::trials());
    trials.extend(field::trials());
    libtest_mimic::run(&arguments, trials).exit();
}

type Check = fn(&'static Variant, Element) -> Result<(), Failed>;

/// A test of one variant, ignored where the device lacks the type.
fn trial(variant: &'static Variant, element: Element, what: &str, check: Check) -> Trial {
    let name = format!("{}-point::{}::{element}::{what}", variant.points.count(), variant.name);
    let missing = element.feature() - gpu().device.features();
    if !missing.is_empty() {
        let reason = halofold::adapter::feature_names(missing);
        return Trial::test(name, || Ok(())).with_kind(reason).with_ignored_flag(true);
    }
    Trial::test(name, move || check(variant, element))
}

fn grids(points: Points) -> Vec<Grid> {
    match points {
        Points::Five => {
            [(1, 1), (1, 9), (2, 2), (3, 3), (7, 31), (8, 32), (9, 33), (10, 34), (37, 64), (61, 101)]
                .map(|(rows, cols)| Grid::plane(rows, cols))
                .to_vec()
        }
        Points::TwentySeven => {
            [(1, 1, 1), (2, 3, 5), (3, 3, 3), (4, 8, 32), (9, 11, 36), (35, 10, 34), (5, 17, 67)]
                .map(|(planes, rows, cols)| Grid { planes, rows, cols })
                .to_vec()
        }
    }
}

/// A kernel is compiled for every grid, which takes most of the time: grids and borders meet two by two in 32 bits, and one
/// by one in the other types.
fn dyadic(variant: &'static Variant, element: Element) -> Result<(), Failed> {
    let (steps, first, met) = match element {
        Element::F32 => (2, 0, 2),
        Element::F64 => (2, 1, 1),
        _ => (1, 2, 1),
    };
    for (round, grid) in grids(variant.points).into_iter().enumerate() {
        let cells = dyadic_cells(grid, 5);
        for borders in borders().into_iter().cycle().skip(first + round).take(met) {
            let block =
                [Block { rows: 8, cols: 32 }, Block { rows: 4, cols: 16 }, Block { rows: 3, cols: 7 }]
                    [round % 3];
            let tuning = Tuning { planes_per_group: 1 + 4 * (round as u32 % 3), ..Tuning::of(variant) };
            let tuning = Tuning { strip: [1, 2, 4][round % 3], ..tuning.with_block(block) };
            let job = Job { variant, element, grid, borders, tuning };
            let run = Run { gpu: gpu(), job, coefficients: Coefficients::dyadic(variant.points), steps };
            run.same(&run.on_gpu(&cells)?, &run.on_cpu(&cells))?;
        }
    }
    Ok(())
}

/// Each step may be off by half a unit in the last place of the largest partial sum per operation; what was off before is weighted like
/// the values are.
fn random(variant: &'static Variant, element: Element) -> Result<(), Failed> {
    let grid = grids(variant.points).pop().expect("there are grids");
    let mut numbers = Random::new(11);
    let cells: Vec<f64> = (0..grid.cells())
        .map(|_| f64::from((numbers.next() >> 40) as f32 / (1 << 23) as f32 - 1.0))
        .collect();
    let coefficients = Coefficients::usual(variant.points);
    for borders in borders() {
        let job = Job { variant, element, grid, borders, tuning: Tuning::of(variant) };
        let run = Run { gpu: gpu(), job, coefficients, steps: 5 };
        let got = run.on_gpu(&cells)?;
        let unit = f64::from(f32::EPSILON) / 2.0;
        let operations = f64::from(variant.points.count()) + 6.0;
        let bound = 5.0 * operations * unit * coefficients.gain(variant.points).max(1.0);
        for (at, (got, expected)) in got.iter().zip(run.on_cpu(&cells)).enumerate() {
            if (got - expected).abs() > bound {
                return Err(
                    format!("{borders:?}: cell {at} is {got}, expected {expected} ± {bound:e}").into()
                );
            }
        }
    }
    Ok(())
}

/// Products of sines (fixed), cosines (mirrored) or Fourier modes (periodic) only shrink, by a known factor a step.
fn eigenmodes(variant: &'static Variant, element: Element) -> Result<(), Failed> {
    use std::f64::consts::PI;
    let three = variant.points == Points::TwentySeven;
    let grid = Grid { planes: if three { 12 } else { 1 }, rows: 20, cols: 36 };
    let lengths = [grid.cols, grid.rows, grid.planes].map(f64::from);
    let Coefficients([a, b, c, d]) = Coefficients::usual(variant.points);
    for border in [Border::Fixed, Border::Mirror, Border::Periodic] {
        // The mode's value at a coordinate, and 2 cos of its frequency.
        let mode = |k: f64, i: f64, n: f64| match border {
            Border::Fixed => (k * PI * i / (n - 1.0)).sin(),
            Border::Mirror => (k * PI * (i + 0.5) / n).cos(),
            Border::Periodic => (2.0 * k * PI * i / n).cos(),
        };
        let factor = |k: f64, n: f64| match border {
            Border::Fixed => 2.0 * (k * PI / (n - 1.0)).cos(),
            Border::Mirror => 2.0 * (k * PI / n).cos(),
            Border::Periodic => 2.0 * (2.0 * k * PI / n).cos(),
        };
        let frequencies = [3.0, 2.0, 1.0];
        let [x, y, z] = [0, 1, 2].map(|d| factor(frequencies[d], lengths[d]));
        let shrink = if three {
            a + b * (x + y + z) + c * (x * y + y * z + z * x) + d * x * y * z
        } else {
            a * (1.0 + x + y)
        };
        let cells: Vec<f64> = (0..grid.cells())
            .map(|cell| {
                let (cols, rows) = (u64::from(grid.cols), u64::from(grid.rows));
                let at = [cell % cols, cell / cols % rows, cell / cols / rows];
                let value = |d: usize| mode(frequencies[d], at[d] as f64, lengths[d]);
                value(0) * value(1) * if three { value(2) } else { 1.0 }
            })
            .collect();
        let job = Job { variant, element, grid, borders: Borders::all(border), tuning: Tuning::of(variant) };
        let run = Run { gpu: gpu(), job, coefficients: Coefficients::usual(variant.points), steps: 7 };
        let got = run.on_gpu(&cells)?;
        for (at, (got, cell)) in got.iter().zip(&cells).enumerate() {
            let expected = cell * shrink.powi(7);
            if (got - expected).abs() > 3e-6 {
                return Err(format!("{border:?}: cell {at} is {got}, expected {expected}").into());
            }
        }
    }
    Ok(())
}
