//! Properties of steps that hold for all numbers: their reach, cells that never change, sizes around a block.

use std::collections::HashSet;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use halofold::stencil::{Border, Borders, Dims, FIVE_POINT, Grid, Grids, Jacobi};
use halofold::{Element, adapter};
use libtest_mimic::{Failed, Trial};

use super::Kernel;
use super::composed::Composition;
use super::run::{Run, dyadic_cells, repeated};
use crate::common::{Gpu, Random, fastest, gpu};

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for kernel in Kernel::all() {
        trials.push(super::trial(kernel, Element::F32, "impulse", impulse));
        trials.push(super::trial(kernel, Element::F32, "frozen", frozen));
        trials.push(super::trial(kernel, Element::F32, "sizes", sizes));
    }
    trials.push(crate::trial("stencil::10000 steps", None, many_steps));
    trials.push(crate::trial("stencil::recording", None, recording));
    trials
}

fn position(grid: Grid, cell: usize) -> [i64; 3] {
    let (cols, rows) = (grid.cols as usize, grid.rows as usize);
    [cell % cols, cell / cols % rows, cell / cols / rows].map(|at| at as i64)
}

/// A cell reaches those of which the stencil is made, with every step, and no others.
fn impulse(kernel: Kernel, element: Element) -> Result<(), Failed> {
    let steps = 4_u32.div_ceil(kernel.stencil.radius());
    let flat = kernel.stencil.dims == Dims::Two;
    let grid = Grid { planes: if flat { 1 } else { 13 }, rows: 21, cols: 24 };
    let source = [9, 11, if flat { 0 } else { 6 }];
    let offsets = || kernel.stencil.classes.iter().copied().flatten();
    let mut reached = HashSet::from([source]);
    for _ in 0..steps {
        let around = |at: &[i64; 3]| {
            let at = *at;
            offsets().map(move |offset| [0, 1, 2].map(|d| at[d] - i64::from(offset[d])))
        };
        reached = reached.iter().flat_map(around).collect();
    }
    let cells: Vec<f64> =
        (0..grid.cells() as usize).map(|cell| f64::from(u8::from(position(grid, cell) == source))).collect();
    let config = Composition::of_blocked(kernel, kernel.config(element, grid));
    let run = Run::new(gpu(), config, kernel.stencil.usual, steps);
    for (cell, value) in run.on_gpu(&cells)?.into_iter().enumerate() {
        let at = position(grid, cell);
        assert_eq!(value > 0.0, reached.contains(&at), "{value} at {at:?}, from {source:?}");
    }
    Ok(())
}

/// Cells at fixed sides keep every bit, into the corners where another kind of side begins.
fn frozen(kernel: Kernel, element: Element) -> Result<(), Failed> {
    let grid = Grid { planes: if kernel.stencil.dims == Dims::Two { 1 } else { 7 }, rows: 19, cols: 36 };
    let mut numbers = Random::new(4);
    let cells: Vec<f64> = (0..grid.cells()).map(|_| f64::from((numbers.next() >> 40) as f32 / 3.0)).collect();
    let borders = Borders { west: Border::Reflect, ..Borders::default() };
    let config = Composition::of_blocked(kernel, kernel.config(element, grid).with_borders(borders));
    let rhs = cells.iter().map(|cell| cell / 8.0).collect();
    let run = Run::new(gpu(), config, repeated([0.3, -0.1, 0.05, 0.02]), 7).with_rhs(rhs);
    let lengths = [grid.cols, grid.rows, grid.planes].map(i64::from);
    let mut changed = 0;
    for (cell, value) in run.on_gpu(&cells)?.into_iter().enumerate() {
        let at = position(grid, cell);
        let directions = kernel.stencil.dims.count();
        let radius = i64::from(kernel.stencil.radius());
        let fixed = (0..directions).any(|d| (at[d] < radius && d > 0) || at[d] + radius >= lengths[d]);
        assert!(!fixed || value == cells[cell], "the cell at {at:?} is {value}, it was {}", cells[cell]);
        changed += usize::from(value != cells[cell]);
    }
    if changed == 0 { Err("no cell has changed".into()) } else { Ok(()) }
}

/// One, two and three cells, primes, a block and one more or less of what it computes.
fn sizes(kernel: Kernel, element: Element) -> Result<(), Failed> {
    let sizes = [(1, 17), (2, 1), (3, 3), (5, 19), (6, 18), (7, 16), (13, 15), (11, 2), (8, 33)];
    for composition in Composition::of(kernel, element) {
        for (turn, (rows, cols)) in sizes.into_iter().enumerate() {
            let planes =
                if kernel.stencil.dims == Dims::Two { 1 } else { [1, 2, 3, 4, 5, 9, 10, 7, 6][turn] };
            let grid = Grid { planes, rows, cols };
            let run = composition.run(gpu(), composition.config(kernel, element, grid, turn), 3);
            let cells = dyadic_cells(grid, 2);
            run.same(&run.on_gpu(&cells)?, &run.on_cpu(&cells))?;
        }
    }
    Ok(())
}

/// Ten thousand steps in one pass: heat from the sides reaches its steady state.
fn many_steps() -> Result<(), Failed> {
    let run = heated(gpu(), 10_000)?;
    let found = run.on_gpu(&heat(run.config.grid))?.into_iter().find(|cell| (cell - 1.0).abs() > 1e-4);
    found.map_or(Ok(()), |cell| Err(format!("a cell is {cell} after {} steps", run.steps).into()))
}

/// Recording a step takes next to no time. The shortest of many short pieces counts, as other programs may be running.
fn recording() -> Result<(), Failed> {
    static UNWATCHED: OnceLock<Gpu> = OnceLock::new();
    // Validation layers would take ten times as long as what they look at.
    let quiet = UNWATCHED.get_or_init(|| {
        let adapter = pollster::block_on(adapter::preferred(false)).expect("there was one before");
        let (device, queue) = pollster::block_on(adapter::open(&adapter)).expect("the adapter opens");
        Gpu { device, queue }
    });
    let run = heated(quiet, 200)?;
    let buffers = run.buffers(&heat(run.config.grid));
    let jacobi = Jacobi::new(&quiet.device, run.config, run.weights)?;
    let stepper = jacobi.prepare(Grids::new(&buffers[0], &buffers[1]))?;
    let mut fastest = Duration::MAX;
    for _ in 0..50 {
        let mut encoder = quiet.device.create_command_encoder(&Default::default());
        let start = Instant::now();
        stepper.encode(&mut encoder, run.steps);
        let commands = encoder.finish();
        fastest = fastest.min(start.elapsed() / run.steps);
        quiet.queue.submit([commands]);
    }
    eprintln!("recording a step takes {:.2} µs", fastest.as_secs_f64() * 1e6);
    // Without optimization this would be a test of the compiler.
    assert!(cfg!(debug_assertions) || fastest <= Duration::from_micros(15), "a step takes {fastest:?}");
    Ok(())
}

fn heated(gpu: &'static Gpu, steps: u32) -> Result<Run, Failed> {
    let kernel = Kernel { stencil: &FIVE_POINT, variant: fastest(&FIVE_POINT) };
    let config = Composition::of_blocked(kernel, kernel.config(Element::F32, Grid::plane(18, 20)));
    Ok(Run::new(gpu, config, FIVE_POINT.usual, steps))
}

/// One at the sides, zero inside.
fn heat(grid: Grid) -> Vec<f64> {
    let warm = |cell: usize| {
        let [col, row, _] = position(grid, cell);
        col == 0 || row == 0 || col + 1 == i64::from(grid.cols) || row + 1 == i64::from(grid.rows)
    };
    (0..grid.cells() as usize).map(|cell| f64::from(u8::from(warm(cell)))).collect()
}
