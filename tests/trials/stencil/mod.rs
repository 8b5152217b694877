//! Every stencil variant against the CPU, on the adapter at hand.
//!
//! On dyadic data (small integers, weights that are powers of two) every order of additions is exact, so results are
//! compared bit for bit over the whole grid, borders included; on random data within a bound that follows from the
//! operations of a cell and the steps. What the adapter cannot run is listed as ignored, with the reason.

mod blocked;
mod composed;
mod field;
mod poisson;
mod residual;
mod run;
mod shape;
mod slabs;
mod until;
mod windows;

use self::composed::Composition;
use self::run::{Run, borders, dyadic_cells, repeated};
use crate::common::{Random, gpu, in_turn, is_slow_to_compile};
use halofold::Element;
use halofold::stencil::{BOXES, Border, Borders, Config, Dims, Grid, STENCILS, Stencil, Variant};
use libtest_mimic::{Failed, Trial};

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for kernel in Kernel::all() {
        for element in [Element::F32, Element::F64, Element::F16] {
            trials.push(trial(kernel, element, "dyadic", dyadic));
        }
        trials.push(trial(kernel, Element::F32, "random", random));
        trials.push(trial(kernel, Element::F32, "eigenmodes", eigenmodes));
    }
    for kernel in Kernel::all().filter(|kernel| kernel.variant.is_general()) {
        for element in [Element::F32, Element::F64, Element::F16] {
            trials.push(trial(kernel, element, "borders", any_border));
        }
    }
    trials.extend(poisson::trials());
    trials.extend(shape::trials());
    trials.extend(windows::trials());
    trials.extend(slabs::trials());
    trials.extend(until::trials());
    trials.extend(residual::trials());
    trials.extend(field::trials());
    trials.extend(blocked::trials());
    trials
}

/// A stencil and a variant that serves it.
#[derive(Clone, Copy)]
pub struct Kernel {
    pub stencil: &'static Stencil,
    pub variant: &'static Variant,
}

impl Kernel {
    /// Every variant of every stencil.
    fn all() -> impl Iterator<Item = Kernel> {
        let of =
            |stencil: &'static Stencil| stencil.variants().map(move |variant| Kernel { stencil, variant });
        STENCILS.iter().chain(BOXES).flat_map(move |stencil| of(stencil))
    }

    /// The variants of that name.
    fn named(name: &str) -> impl Iterator<Item = Kernel> {
        Kernel::all().filter(move |kernel| kernel.variant.name == name)
    }

    /// Its place among all kernels.
    fn nth(self) -> usize {
        let is_this = |other: &Kernel| other.describe() == self.describe();
        Kernel::all().position(|other| is_this(&other)).expect("it is one of them")
    }

    fn describe(self) -> (&'static str, &'static str) {
        (self.stencil.name, self.variant.name)
    }

    fn config(self, element: Element, grid: Grid) -> Config {
        Config::new(self.stencil, self.variant, element, grid)
    }
}

type Check = fn(Kernel, Element) -> Result<(), Failed>;

/// A test of one variant, ignored where the device lacks the type.
fn trial(kernel: Kernel, element: Element, what: &str, check: Check) -> Trial {
    let name = format!("stencil::{}::{}::{element}::{what}", kernel.stencil.name, kernel.variant.name);
    let left_out = reason_to_leave_out(kernel.variant.is_blocked(), element);
    crate::trial(name, left_out, move || check(kernel, element))
}

/// The reason to leave a kernel out here, if there is one.
fn reason_to_leave_out(is_blocked: bool, element: Element) -> Option<String> {
    if let Some(reason) = crate::lacking(element.feature()) {
        return Some(reason);
    }
    (is_blocked && is_slow_to_compile()).then(|| "SwiftShader takes minutes to compile it".to_owned())
}

fn grids(dims: Dims) -> Vec<Grid> {
    match dims {
        Dims::Two => {
            [(1, 1), (1, 9), (2, 2), (3, 3), (7, 31), (8, 32), (9, 33), (10, 34), (37, 64), (61, 101)]
                .map(|(rows, cols)| Grid::plane(rows, cols))
                .to_vec()
        }
        _ => [(1, 1, 1), (2, 3, 5), (3, 3, 3), (4, 8, 32), (9, 11, 36), (35, 10, 34), (5, 17, 67)]
            .map(|(planes, rows, cols)| Grid { planes, rows, cols })
            .to_vec(),
    }
}

/// Every grid with every kernel.
fn dyadic(kernel: Kernel, element: Element) -> Result<(), Failed> {
    for composition in Composition::of(kernel, element) {
        for (turn, grid) in grids(kernel.stencil.dims).into_iter().enumerate() {
            let config = composition.config(kernel, element, grid, turn);
            let run = composition.run(gpu(), config, if element == Element::F16 { 1 } else { 2 });
            let cells = dyadic_cells(grid, 5);
            run.same(&run.on_gpu(&cells)?, &run.on_cpu(&cells))?;
        }
    }
    Ok(())
}

/// Borders that only the general kernels know, also on grids that are shorter than the stencil reaches, and in several windows.
fn any_border(kernel: Kernel, element: Element) -> Result<(), Failed> {
    let steps = if element == Element::F16 { 1 } else { 2 };
    for (turn, borders) in run::general_borders().into_iter().enumerate() {
        let long = windows::long_grids(kernel.stencil.dims)[turn];
        let all = grids(kernel.stencil.dims).into_iter().map(|grid| (gpu(), grid));
        for (gpu, grid) in all.chain([(windows::small(), long)]) {
            let config = kernel.config(element, grid).with_borders(borders);
            let run = Run::new(gpu, config, kernel.stencil.dyadic, steps);
            let cells = dyadic_cells(grid, 5);
            run.same(&run.on_gpu(&cells)?, &run.on_cpu(&cells))?;
        }
    }
    Ok(())
}

/// Each step may be off by half a unit in the last place of the largest partial sum per operation; what was off before is weighted like
/// the values are.
fn random(kernel: Kernel, element: Element) -> Result<(), Failed> {
    let grid = match kernel.stencil.dims {
        Dims::Two => Grid::plane(61, 100),
        _ => Grid { planes: 5, rows: 17, cols: 68 },
    };
    let mut numbers = Random::new(11);
    let cells: Vec<f64> = (0..grid.cells())
        .map(|_| f64::from((numbers.next() >> 40) as f32 / (1 << 23) as f32 - 1.0))
        .collect();
    let weights = [kernel.stencil.usual, repeated([0.3, -0.1, 0.05, 0.02])];
    for (round, borders) in in_turn(borders().into_iter().enumerate(), 2, kernel.nth()) {
        let weights = weights[usize::from(round > 0)];
        let config = Composition::of_blocked(kernel, kernel.config(element, grid).with_borders(borders));
        let run = Run::new(gpu(), config, weights, 5);
        let run = if round == 0 { run } else { run.with_rhs(cells.iter().rev().copied().collect()) };
        let got = run.on_gpu(&cells)?;
        let unit = f64::from(f32::EPSILON) / 2.0;
        let operations = f64::from(kernel.stencil.points()) + 6.0;
        let (gain, added) = (weights.gain(kernel.stencil).max(1.0), f64::from(u8::from(run.config.rhs)));
        let (mut largest, mut bound) = (1.0, 0.0);
        for _ in 0..run.steps {
            largest = gain * largest + added;
            bound = gain * bound + operations * unit * largest;
        }
        for (at, (got, expected)) in got.iter().zip(run.on_cpu(&cells)).enumerate() {
            let is_near = (got - expected).abs() <= bound;
            assert!(is_near, "{borders:?}: cell {at} is {got}, expected {expected} ± {bound:e}");
        }
    }
    Ok(())
}

/// Products of sines (fixed), cosines (mirrored) or Fourier modes (periodic) only shrink, by a known factor a step.
fn eigenmodes(kernel: Kernel, element: Element) -> Result<(), Failed> {
    use std::f64::consts::PI;
    let Kernel { stencil, .. } = kernel;
    let directions = stencil.dims.count();
    let grid = Grid { planes: if directions == 3 { 12 } else { 1 }, rows: 20, cols: 36 };
    let lengths = [grid.cols, grid.rows, grid.planes].map(f64::from);
    let frequencies = [3.0, 2.0, 1.0];
    // Sines are zero at the outermost cells only.
    let kinds = [Border::Fixed, Border::Reflect, Border::Wrap];
    let kinds = kinds.into_iter().filter(|border| *border != Border::Fixed || stencil.radius() == 1);
    for border in in_turn(kinds, 3, kernel.nth()) {
        // The mode's value at a coordinate, and the angle from one cell to the next.
        let mode = |d: usize, i: u64| match border {
            Border::Fixed => (angle(border, frequencies[d], lengths[d]) * i as f64).sin(),
            Border::Reflect => (frequencies[d] * PI * (i as f64 + 0.5) / lengths[d]).cos(),
            _ => (angle(border, frequencies[d], lengths[d]) * i as f64).cos(),
        };
        let part = |offset: &[i32; 3]| -> f64 {
            let along = |d: usize| (angle(border, frequencies[d], lengths[d]) * f64::from(offset[d])).cos();
            (0..directions).map(along).product()
        };
        let classes = stencil.classes.iter().enumerate();
        let factors =
            classes.map(|(class, cells)| stencil.usual[class] * cells.iter().map(part).sum::<f64>());
        let shrink: f64 = factors.sum();
        // With some of the mode on the right-hand side it shrinks to a multiple of that.
        let (added, steps) = (0.25, 7);
        let rest = added * (1.0 - shrink.powi(steps)) / (1.0 - shrink);
        let cells: Vec<f64> = (0..grid.cells())
            .map(|cell| {
                let (cols, rows) = (u64::from(grid.cols), u64::from(grid.rows));
                let at = [cell % cols, cell / cols % rows, cell / cols / rows];
                (0..directions).map(|d| mode(d, at[d])).product()
            })
            .collect();
        let config = kernel.config(element, grid).with_borders(Borders::all(border));
        let config = Composition::of_blocked(kernel, config);
        let run = Run::new(gpu(), config, stencil.usual, steps as u32);
        let (run, factor) = if border == Border::Fixed {
            (run, shrink.powi(steps))
        } else {
            let rhs = cells.iter().map(|cell| added * cell).collect();
            (run.with_rhs(rhs), shrink.powi(steps) + rest)
        };
        for (at, (got, cell)) in run.on_gpu(&cells)?.iter().zip(&cells).enumerate() {
            let expected = cell * factor;
            assert!((got - expected).abs() <= 3e-6, "{border:?}: cell {at} is {got}, expected {expected}");
        }
    }
    Ok(())
}

/// The angle by which a mode of a frequency turns from one of `n` cells to the next.
fn angle(border: Border, frequency: f64, n: f64) -> f64 {
    use std::f64::consts::PI;
    match border {
        Border::Fixed => frequency * PI / (n - 1.0),
        Border::Reflect => frequency * PI / n,
        _ => 2.0 * frequency * PI / n,
    }
}
