//! Heat that flows in from the sides: in many steps, and how long it takes to record them.

use std::time::{Duration, Instant};

use halofold::stencil::{Borders, FIVE_POINT, Grid};
use halofold::{Element, adapter};

use super::Kernel;
use super::run::{Run, is_fixed, places};
use crate::Checked;
use crate::common::{Gpu, Shared, gpu};

/// Ten thousand steps in one pass: heat from the sides reaches its steady state.
pub fn many_steps() -> Checked {
    let (run, cells) = heated(gpu(), 10_000);
    run.near(&run.on_gpu(&cells)?, &vec![1.0; cells.len()], 1e-4)
}

/// Recording a step takes next to no time. The shortest of many short pieces counts, as other programs may be running.
pub fn recording() -> Checked {
    // Validation layers would take ten times as long as what they look at.
    static UNWATCHED: Shared = Shared::new(|| {
        let adapter = pollster::block_on(adapter::preferred(false)).expect("there was one before");
        let (device, queue) = pollster::block_on(adapter::open(&adapter)).expect("the adapter opens");
        Gpu { device, queue }
    });
    let quiet = &*UNWATCHED;
    let (run, cells) = heated(quiet, 200);
    let grids = run.upload(&cells);
    let stepper = run.jacobi()?.bind(grids.grids())?;
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
    let config =
        Kernel::fastest(&FIVE_POINT).quick_config(Element::F32, Grid::plane(18, 20), Borders::default());
    let cells = places(config.grid).map(|at| f64::from(u8::from(is_fixed(&config, at)))).collect();
    (Run::new(gpu, config, FIVE_POINT.usual, steps), cells)
}
