//! Grids past one binding, and past one row of workgroups.
//!
//! Mostly on a device with limits so low that a small grid is past them; once at the limits that devices have.

use std::sync::OnceLock;

use halofold::Element;
use halofold::stencil::{Block, Borders, Coefficients, Grid, Jacobi, Job, Points, Tuning, VARIANTS, Variant};
use halofold_measure::Field;
use libtest_mimic::{Failed, Trial};

use crate::common::{Gpu, gpu, limited};
use crate::run::{Run, borders, dyadic_cells};

/// What the small device binds at once.
pub const BINDING: u64 = 16 << 10;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for variant in VARIANTS {
        // The type matters to where windows may start, and to nothing else.
        let types = [Element::F32, Element::F64, Element::F16];
        let plain = ["direct-global", "register-rows", "plane-sums"].contains(&variant.name);
        for element in &types[..if plain { 3 } else { 1 }] {
            trials.push(crate::trial(variant, *element, "windows", windows));
        }
    }
    trials.push(Trial::test("past 65535 workgroups", past_a_row_of_workgroups));
    trials.push(Trial::test("past 128 MiB", past_the_default_limit));
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
pub fn long_grids(points: Points) -> [Grid; 3] {
    match points {
        Points::Five => [(400, 64), (700, 33), (259, 36)].map(|(rows, cols)| Grid::plane(rows, cols)),
        Points::TwentySeven => {
            [(40, 8, 32), (300, 6, 12), (700, 3, 11)].map(|(planes, rows, cols)| Grid { planes, rows, cols })
        }
    }
}

fn windows(variant: &'static Variant, element: Element) -> Result<(), Failed> {
    let steps = if element == Element::F16 { 1 } else { 2 };
    for (round, borders) in borders().into_iter().enumerate() {
        let grid = long_grids(variant.points)[round % 3];
        let block = [Block { rows: 4, cols: 64 }, Block { rows: 4, cols: 16 }][round % 2];
        let tuning = Tuning { planes_per_group: 13, ..Tuning::of(variant).with_block(block) };
        let job = Job { variant, element, grid, borders, tuning };
        let plan = job.plan(small().device.features(), &small().device.limits())?;
        if plan.windows.len() < 2 {
            return Err(format!("{grid} of {element} is in one window").into());
        }
        let run = Run { gpu: small(), job, coefficients: Coefficients::dyadic(variant.points), steps };
        let cells = dyadic_cells(grid, 7);
        run.same(&run.on_gpu(&cells)?, &run.on_cpu(&cells))?;
    }
    Ok(())
}

fn past_a_row_of_workgroups() -> Result<(), Failed> {
    let most = gpu().device.limits().max_compute_workgroups_per_dimension;
    for (points, grid) in [
        (Points::Five, Grid::plane(300, 301)),
        (Points::TwentySeven, Grid { planes: 31, rows: 70, cols: 41 }),
    ] {
        let variant = Variant::named(points, "direct-global")?;
        let tuning =
            Tuning { planes_per_group: 1, ..Tuning::of(variant).with_block(Block { rows: 1, cols: 1 }) };
        let job = Job { variant, element: Element::F32, grid, borders: Borders::default(), tuning };
        let run = Run { gpu: gpu(), job, coefficients: Coefficients::dyadic(points), steps: 2 };
        let plan = job.plan(gpu().device.features(), &gpu().device.limits())?;
        let [across, down] = plan.windows[0].workgroups;
        if plan.windows.len() != 1 || down < 2 || across > most {
            return Err(format!("{across} x {down} workgroups").into());
        }
        let cells = dyadic_cells(grid, 3);
        run.same(&run.on_gpu(&cells)?, &run.on_cpu(&cells))?;
    }
    Ok(())
}

/// The limits that every device has: 128 MiB a binding. Rows that can start a window only now and then.
fn past_the_default_limit() -> Result<(), Failed> {
    static DEFAULT: OnceLock<Gpu> = OnceLock::new();
    let usual = DEFAULT.get_or_init(|| limited(|limits| limits.max_storage_buffer_binding_size = 128 << 20));
    let variant = Variant::named(Points::Five, "register-rows")?;
    let grid = Grid::plane(6001, 5996);
    let job = Job {
        variant,
        element: Element::F32,
        grid,
        borders: Borders::default(),
        tuning: Tuning::of(variant),
    };
    let plan = job.plan(usual.device.features(), &usual.device.limits())?;
    if plan.windows.len() != 2 {
        return Err(format!("{} windows", plan.windows.len()).into());
    }
    let field = Field::new(&usual.device, &usual.queue, &job)?;
    let pair = field.pair(&usual.device)?;
    let jacobi = Jacobi::new(&usual.device, job, Coefficients::dyadic(Points::Five))?;
    let stepper = pair.stepper(&usual.device, &jacobi)?;
    match field.verify(&usual.device, &usual.queue, &pair, &stepper)? {
        None => Ok(()),
        Some(difference) => Err(difference.to_string().into()),
    }
}
