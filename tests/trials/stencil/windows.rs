//! Grids past one binding and one row of workgroups: on a device with low limits, and once at the limits that devices have.

use halofold::stencil::{Block, Config, Dims, FIVE_POINT, Grid, Jacobi, TWENTY_SEVEN_POINT, Variant};
use halofold::{Element, Pass};
use halofold_measure::GridCheck;

use super::run::{Run, dyadic_cells};
use super::{Kernel, composed, grids};
use crate::Checked;
use crate::common::{Gpu, Shared, compile, fastest, gpu, limited};

/// A device that binds little, and starts few workgroups in a row.
pub fn small() -> &'static Gpu {
    static SMALL: Shared = Shared::new(|| {
        limited(|limits| {
            limits.max_storage_buffer_binding_size = 16 << 10;
            limits.min_storage_buffer_offset_alignment = 256;
            limits.max_compute_workgroups_per_dimension = 40;
        })
    });
    &SMALL
}

/// Grids of several windows. With 256 bytes of alignment some can be cut anywhere, some at every 64th row only.
pub fn long_grids(dims: Dims) -> Vec<Grid> {
    grids(dims, &[[400, 64], [700, 33], [259, 36]], &[[40, 8, 32], [300, 6, 12], [700, 3, 11]])
}

pub fn several(kernel: Kernel, element: Element) -> Checked {
    let grids = long_grids(kernel.stencil.dims);
    for grid in &grids {
        let plan = kernel.config(element, *grid).plan(small().device.features(), &small().device.limits())?;
        assert!(plan.passes.len() >= 2, "{grid} of {element} is in one window");
    }
    composed::check(small(), kernel, element, grids)
}

pub fn past_a_row_of_workgroups() -> Checked {
    let most = gpu().device.limits().max_compute_workgroups_per_dimension;
    for (stencil, grid) in
        [(&FIVE_POINT, Grid::plane(300, 301)), (&TWENTY_SEVEN_POINT, Grid { planes: 31, rows: 70, cols: 41 })]
    {
        let variant = Variant::named(stencil, "direct-global")?;
        let config = Config::new(stencil, variant, Element::F32, grid).with_block(Block { rows: 1, cols: 1 });
        let plan = config.plan(gpu().device.features(), &gpu().device.limits())?;
        let [Pass { grid: [across, down], .. }] = plan.passes[..] else {
            return Err(format!("{grid} is in windows").into());
        };
        assert!(down >= 2 && across <= most, "{across} x {down} workgroups");
        Run::new(gpu(), config, stencil.dyadic, 2).check(&dyadic_cells(grid, 3))?;
    }
    Ok(())
}

/// The limits that every device has: 128 MiB a binding. Rows that can start a window only now and then.
pub fn past_the_default_limit() -> Checked {
    static DEFAULT: Shared = Shared::new(|| limited(|most| most.max_storage_buffer_binding_size = 128 << 20));
    let Gpu { device, queue } = &*DEFAULT;
    let grid = Grid::plane(6001, 5996);
    let config = Config::new(&FIVE_POINT, fastest(&FIVE_POINT), Element::F32, grid);
    let plan = config.plan(device.features(), &device.limits())?;
    assert_eq!(plan.passes.len(), 2);
    let field = GridCheck::new(device, queue, &config)?;
    let pair = field.pair(device)?;
    let jacobi = compile(device, Jacobi::new(config, FIVE_POINT.dyadic))?;
    match field.verify(device, queue, &pair, &pair.stepper(&jacobi)?)? {
        None => Ok(()),
        Some(difference) => Err(difference.to_string().into()),
    }
}
