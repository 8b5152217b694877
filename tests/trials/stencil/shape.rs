//! Properties of steps that hold for all numbers: their reach, cells that never change, sizes around a block.

use std::collections::HashSet;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use halofold::stencil::{Border, Borders, FIVE_POINT, Grid};
use halofold::{Element, adapter};

use super::run::{Run, is_fixed, places, random_cells, repeated};
use super::{Kernel, composed, grids};
use crate::Checked;
use crate::common::{Gpu, fastest, gpu};

/// A cell reaches those of which the stencil is made, with every step, and no others.
pub fn impulse(kernel: Kernel, element: Element) -> Checked {
    let steps = 4_u32.div_ceil(kernel.stencil.radius());
    let grid = kernel.grid([21, 24], [13, 21, 24]);
    let source = [9, 11, grid.planes / 2];
    let mut reached = HashSet::from([source]);
    for _ in 0..steps {
        let around = |at: &[u32; 3]| {
            let at = *at;
            let offsets = kernel.stencil.classes.iter().copied().flatten();
            offsets.map(move |offset| [0, 1, 2].map(|d| at[d].wrapping_add_signed(-offset[d])))
        };
        reached = reached.iter().flat_map(around).collect();
    }
    let cells: Vec<f64> = places(grid).map(|at| f64::from(u8::from(at == source))).collect();
    let config = kernel.quick_config(element, grid, Borders::default());
    let run = Run::new(gpu(), config, kernel.stencil.usual, steps);
    for (at, value) in places(grid).zip(run.on_gpu(&cells)?) {
        assert_eq!(value > 0.0, reached.contains(&at), "{value} at {at:?}, from {source:?}");
    }
    Ok(())
}

/// Cells at fixed sides keep every bit, into the corners where another kind of side begins.
pub fn frozen(kernel: Kernel, element: Element) -> Checked {
    let grid = kernel.grid([19, 36], [7, 19, 36]);
    let cells = random_cells(grid, 4, |word| f64::from((word >> 40) as f32 / 3.0));
    let borders = Borders { west: Border::Reflect, ..Borders::default() };
    let config = kernel.quick_config(element, grid, borders);
    let rhs = cells.iter().map(|cell| cell / 8.0).collect();
    let run = Run::new(gpu(), config, repeated([0.3, -0.1, 0.05, 0.02]), 7).with_rhs(rhs);
    let mut changed = 0;
    for (at, (value, before)) in places(grid).zip(run.on_gpu(&cells)?.into_iter().zip(&cells)) {
        let is_right = !is_fixed(&config, at) || value == *before;
        assert!(is_right, "the cell at {at:?} is {value}, it was {before}");
        changed += usize::from(value != *before);
    }
    if changed == 0 { Err("no cell has changed".into()) } else { Ok(()) }
}

/// One, two and three cells, primes, a block and one more or less of what it computes.
pub fn sizes(kernel: Kernel, element: Element) -> Checked {
    let flat = [[1, 17], [2, 1], [3, 3], [5, 19], [6, 18], [7, 16], [13, 15], [11, 2], [8, 33]];
    let planes = [1, 2, 3, 4, 5, 9, 10, 7, 6];
    let deep: Vec<_> = flat.iter().zip(planes).map(|([rows, cols], planes)| [planes, *rows, *cols]).collect();
    composed::check(gpu(), kernel, element, grids(kernel.stencil.dims, &flat, &deep), 3)
}

/// Ten thousand steps in one pass: heat from the sides reaches its steady state.
pub fn many_steps() -> Checked {
    let (run, cells) = heated(gpu(), 10_000);
    run.near(&run.on_gpu(&cells)?, &vec![1.0; cells.len()], 1e-4)
}

/// Recording a step takes next to no time. The shortest of many short pieces counts, as other programs may be running.
pub fn recording() -> Checked {
    static UNWATCHED: OnceLock<Gpu> = OnceLock::new();
    // Validation layers would take ten times as long as what they look at.
    let quiet = UNWATCHED.get_or_init(|| {
        let adapter = pollster::block_on(adapter::preferred(false)).expect("there was one before");
        let (device, queue) = pollster::block_on(adapter::open(&adapter)).expect("the adapter opens");
        Gpu { device, queue }
    });
    let (run, cells) = heated(quiet, 200);
    let grids = run.upload(&cells);
    let stepper = run.jacobi()?.prepare(grids.grids())?;
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

/// Steps over a grid that is one at the sides, zero inside.
fn heated(gpu: &'static Gpu, steps: u32) -> (Run, Vec<f64>) {
    let kernel = Kernel { stencil: &FIVE_POINT, variant: fastest(&FIVE_POINT) };
    let config = kernel.quick_config(Element::F32, Grid::plane(18, 20), Borders::default());
    let cells = places(config.grid).map(|at| f64::from(u8::from(is_fixed(&config, at)))).collect();
    (Run::new(gpu, config, FIVE_POINT.usual, steps), cells)
}
