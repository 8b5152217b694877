//! What must hold whatever the numbers are: how far a step reaches, what stays as it is, sizes around a block.

use std::time::{Duration, Instant};

use halofold::Element;
use halofold::stencil::{
    Block, Border, Borders, Coefficients, Grid, Jacobi, Job, Points, Tuning, VARIANTS, Variant,
};
use libtest_mimic::{Failed, Trial};

use crate::common::{Random, gpu};
use crate::run::{Run, borders, dyadic_cells, dyadic_weights};

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for variant in VARIANTS {
        trials.push(crate::trial(variant, Element::F32, "impulse", impulse));
        trials.push(crate::trial(variant, Element::F32, "frozen", frozen));
        trials.push(crate::trial(variant, Element::F32, "sizes", sizes));
    }
    trials.push(Trial::test("10000 steps", many_steps));
    trials
}

fn position(grid: Grid, cell: usize) -> [i64; 3] {
    let (cols, rows) = (grid.cols as usize, grid.rows as usize);
    [cell % cols, cell / cols % rows, cell / cols / rows].map(|at| at as i64)
}

/// One cell reaches the cells around it, one farther with every step, and no others.
fn impulse(variant: &'static Variant, element: Element) -> Result<(), Failed> {
    const STEPS: u32 = 4;
    let five = variant.points == Points::Five;
    let grid = Grid { planes: if five { 1 } else { 13 }, rows: 21, cols: 24 };
    let source = [9, 11, if five { 0 } else { 5 }];
    let reach = |cell: usize| {
        let at = position(grid, cell);
        let away = [0, 1, 2].map(|d| (at[d] - source[d]).abs());
        if five { away.iter().sum() } else { away.into_iter().max().unwrap_or(0) }
    };
    let cells: Vec<f64> =
        (0..grid.cells() as usize).map(|cell| f64::from(u8::from(reach(cell) == 0))).collect();
    let tuning = Tuning { planes_per_group: 3, ..Tuning::of(variant).with_block(Block { rows: 4, cols: 8 }) };
    let job = Job { variant, element, grid, borders: Borders::default(), tuning };
    let run = Run { gpu: gpu(), job, coefficients: dyadic_weights(variant.points), steps: STEPS };
    for (cell, value) in run.on_gpu(&cells)?.into_iter().enumerate() {
        if (value > 0.0) != (reach(cell) <= i64::from(STEPS)) {
            return Err(format!("{value} at a distance of {}", reach(cell)).into());
        }
    }
    Ok(())
}

/// Cells at fixed sides keep every bit, into the corners where another kind of side begins.
fn frozen(variant: &'static Variant, element: Element) -> Result<(), Failed> {
    let grid = Grid { planes: if variant.points == Points::Five { 1 } else { 7 }, rows: 19, cols: 36 };
    let mut numbers = Random::new(4);
    let cells: Vec<f64> = (0..grid.cells()).map(|_| f64::from((numbers.next() >> 40) as f32 / 3.0)).collect();
    let borders = Borders { west: Border::Mirror, ..Borders::default() };
    let job = Job { variant, element, grid, borders, tuning: Tuning::of(variant) };
    let run = Run { gpu: gpu(), job, coefficients: Coefficients::usual(variant.points), steps: 7 };
    let lengths = [grid.cols, grid.rows, grid.planes].map(i64::from);
    let mut changed = 0;
    for (cell, value) in run.on_gpu(&cells)?.into_iter().enumerate() {
        let at = position(grid, cell);
        let directions = variant.points.dimensions();
        let fixed = (0..directions).any(|d| (at[d] == 0 && d > 0) || at[d] + 1 == lengths[d]);
        if fixed && value != cells[cell] {
            return Err(format!("the cell at {at:?} is {value}, it was {}", cells[cell]).into());
        }
        changed += usize::from(value != cells[cell]);
    }
    if changed == 0 { Err("no cell has changed".into()) } else { Ok(()) }
}

/// One, two and three cells, primes, a block and one more or less of what it computes.
fn sizes(variant: &'static Variant, element: Element) -> Result<(), Failed> {
    let sizes = [(1, 17), (2, 1), (3, 3), (5, 19), (6, 18), (7, 16), (13, 15), (11, 2)];
    let [fixed, mirror, _, mixed] = borders();
    for (round, (rows, cols)) in sizes.into_iter().enumerate() {
        let planes = if variant.points == Points::Five { 1 } else { [1, 2, 3, 4, 5, 9, 10, 7][round] };
        let grid = Grid { planes, rows, cols };
        let borders = [fixed, mixed, mirror][round % 3];
        let tuning =
            Tuning { planes_per_group: 4, ..Tuning::of(variant).with_block(Block { rows: 4, cols: 16 }) };
        let job = Job { variant, element, grid, borders, tuning };
        let run = Run { gpu: gpu(), job, coefficients: dyadic_weights(variant.points), steps: 3 };
        let cells = dyadic_cells(grid, 2);
        run.same(&run.on_gpu(&cells)?, &run.on_cpu(&cells))?;
    }
    Ok(())
}

/// Ten thousand steps in one pass: heat from the sides reaches its steady state, and recording takes next to no time.
fn many_steps() -> Result<(), Failed> {
    const STEPS: u32 = 10_000;
    let variant = Variant::named(Points::Five, "register-rows")?;
    let grid = Grid::plane(18, 20);
    let job = Job {
        variant,
        element: Element::F32,
        grid,
        borders: Borders::default(),
        tuning: Tuning::of(variant),
    };
    let run = Run { gpu: gpu(), job, coefficients: Coefficients::usual(Points::Five), steps: STEPS };
    let warm = |cell: usize| {
        let [col, row, _] = position(grid, cell);
        col == 0 || row == 0 || col == 19 || row == 17
    };
    let cells: Vec<f64> = (0..grid.cells() as usize).map(|cell| f64::from(u8::from(warm(cell)))).collect();
    let device = &gpu().device;
    let jacobi = Jacobi::new(device, job, run.coefficients)?;
    let mut fastest = Duration::MAX;
    for _ in 0..3 {
        let buffers = run.buffers(&cells);
        let stepper = jacobi.prepare(device, &buffers[0], &buffers[1])?;
        let mut encoder = device.create_command_encoder(&Default::default());
        let start = Instant::now();
        stepper.encode(&mut encoder, STEPS);
        let commands = encoder.finish();
        fastest = fastest.min(start.elapsed() / STEPS);
        gpu().queue.submit([commands]);
        if let Some(cell) = run.read(&buffers[0])?.into_iter().find(|cell| (cell - 1.0).abs() > 1e-4) {
            return Err(format!("a cell is {cell} after {STEPS} steps").into());
        }
    }
    eprintln!("recording a step takes {:.2} µs", fastest.as_secs_f64() * 1e6);
    // Without optimization this is a test of the compiler.
    if !cfg!(debug_assertions) && fastest > Duration::from_micros(15) {
        return Err(format!("recording a step takes {fastest:?}").into());
    }
    Ok(())
}
