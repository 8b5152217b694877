//! Grids past one binding, and past one row of workgroups.
//!
//! Mostly on a device with limits so low that a small grid is past them; once at the limits that devices have.

use std::sync::OnceLock;

use halofold::Element;
use halofold::stencil::{Block, Config, Dims, FIVE_POINT, Grid, Jacobi, TWENTY_SEVEN_POINT, Variant};
use halofold_measure::GridCheck;
use libtest_mimic::{Failed, Trial};

use super::Kernel;
use super::composed::Composition;
use super::run::{Run, dyadic_cells};
use crate::common::{Gpu, fastest, gpu, limited};

/// The largest binding of the small device.
pub const BINDING: u64 = 16 << 10;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for kernel in Kernel::all() {
        // The type matters to where windows may start, and to nothing else.
        let types = [Element::F32, Element::F64, Element::F16];
        let plain = ["direct-global", "register-rows", "plane-sums"].contains(&kernel.variant.name);
        for element in &types[..if plain { 3 } else { 1 }] {
            trials.push(super::trial(kernel, *element, "windows", windows));
        }
    }
    trials.push(crate::trial("stencil::past 65535 workgroups", None, past_a_row_of_workgroups));
    trials.push(crate::trial("stencil::past 128 MiB", None, past_the_default_limit));
    trials
}

/// A device that binds little, and starts few workgroups in a row.
pub fn small() -> &'static Gpu {
    static SMALL: OnceLock<Gpu> = OnceLock::new();
    SMALL.get_or_init(|| {
        limited(|limits| {
            limits.max_storage_buffer_binding_size = BINDING;
            limits.min_storage_buffer_offset_alignment = 256;
            limits.max_compute_workgroups_per_dimension = 40;
        })
    })
}

/// Grids of several windows. With 256 bytes of alignment some can be cut anywhere, some at every 64th row only.
pub fn long_grids(dims: Dims) -> [Grid; 3] {
    match dims {
        Dims::Two => [(400, 64), (700, 33), (259, 36)].map(|(rows, cols)| Grid::plane(rows, cols)),
        _ => {
            [(40, 8, 32), (300, 6, 12), (700, 3, 11)].map(|(planes, rows, cols)| Grid { planes, rows, cols })
        }
    }
}

fn windows(kernel: Kernel, element: Element) -> Result<(), Failed> {
    for composition in Composition::of(kernel, element) {
        for (turn, grid) in long_grids(kernel.stencil.dims).into_iter().enumerate() {
            let config = composition.config(kernel, element, grid, turn);
            let plan = config.plan(small().device.features(), &small().device.limits())?;
            assert!(plan.windows().len() >= 2, "{grid} of {element} is in one window");
            let cells = dyadic_cells(grid, 7);
            let run = composition.run(small(), config, if element == Element::F16 { 1 } else { 2 });
            run.same(&run.on_gpu(&cells)?, &run.on_cpu(&cells))?;
        }
    }
    Ok(())
}

fn past_a_row_of_workgroups() -> Result<(), Failed> {
    let most = gpu().device.limits().max_compute_workgroups_per_dimension;
    for (stencil, grid) in
        [(&FIVE_POINT, Grid::plane(300, 301)), (&TWENTY_SEVEN_POINT, Grid { planes: 31, rows: 70, cols: 41 })]
    {
        let variant = Variant::named(stencil, "direct-global")?;
        let config = Config::new(stencil, variant, Element::F32, grid).with_block(Block { rows: 1, cols: 1 });
        let run = Run::new(gpu(), config, stencil.dyadic, 2);
        let plan = config.plan(gpu().device.features(), &gpu().device.limits())?;
        let windows: Vec<_> = plan.windows().collect();
        let [(_, [across, down])] = windows[..] else { return Err(format!("{grid} is in windows").into()) };
        let is_folded = down >= 2 && across <= most;
        assert!(is_folded, "{across} x {down} workgroups");
        let cells = dyadic_cells(grid, 3);
        run.same(&run.on_gpu(&cells)?, &run.on_cpu(&cells))?;
    }
    Ok(())
}

/// The limits that every device has: 128 MiB a binding. Rows that can start a window only now and then.
fn past_the_default_limit() -> Result<(), Failed> {
    static DEFAULT: OnceLock<Gpu> = OnceLock::new();
    let usual = DEFAULT.get_or_init(|| limited(|limits| limits.max_storage_buffer_binding_size = 128 << 20));
    let grid = Grid::plane(6001, 5996);
    let config = Config::new(&FIVE_POINT, fastest(&FIVE_POINT), Element::F32, grid);
    let plan = config.plan(usual.device.features(), &usual.device.limits())?;
    assert_eq!(plan.windows().len(), 2);
    let field = GridCheck::new(&usual.device, &usual.queue, &config)?;
    let pair = field.pair(&usual.device)?;
    let jacobi = Jacobi::new(&usual.device, config, FIVE_POINT.dyadic)?;
    let stepper = pair.stepper(&jacobi)?;
    match field.verify(&usual.device, &usual.queue, &pair, &stepper)? {
        None => Ok(()),
        Some(difference) => Err(difference.to_string().into()),
    }
}
