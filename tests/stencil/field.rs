//! The field that measurements verify stencils with: it must tell wrong results from right ones, whatever the grid is.

use halofold::Element;
use halofold::stencil::{Block, Border, Borders, Coefficients, Grid, Jacobi, Job, Points, Tuning, Variant};
use halofold_measure::{Field, Pair};
use libtest_mimic::{Failed, Trial};

use crate::common::{Gpu, gpu};
use crate::windows::{long_grids, small};

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for points in Points::ALL {
        let variant = Variant::named(points, "direct-global").expect("it is one");
        for element in [Element::F32, Element::F64, Element::F16] {
            trials.push(crate::trial(variant, element, "field", tells_right_from_wrong));
        }
    }
    trials
}

/// Grids smaller and larger than the tile that a field is made of, in one window and in several.
fn tells_right_from_wrong(variant: &'static Variant, element: Element) -> Result<(), Failed> {
    let (little, large) = match variant.points {
        Points::Five => (Grid::plane(13, 27), Grid::plane(300, 217)),
        Points::TwentySeven => {
            (Grid { planes: 5, rows: 7, cols: 9 }, Grid { planes: 30, rows: 40, cols: 71 })
        }
    };
    for (gpu, grid, border) in [
        (gpu(), little, Border::Fixed),
        (gpu(), large, Border::Fixed),
        (gpu(), large, Border::Periodic),
        (small(), long_grids(variant.points)[1], Border::Mirror),
    ] {
        let block = Block { rows: 4, cols: 16 };
        let tuning = Tuning { planes_per_group: 13, ..Tuning::of(variant).with_block(block) };
        let job = Job { variant, element, grid, borders: Borders::all(border), tuning };
        let right = Jacobi::new(&gpu.device, job, Coefficients::dyadic(variant.points))?;
        let wrong = right.reweighted(&gpu.device, Coefficients([0.5; 4]));
        let field = Field::new(&gpu.device, &gpu.queue, &job)?;
        let pair = field.pair(&gpu.device)?;
        for pair in [&pair, &pair.reversed()] {
            check(gpu, &field, pair, [&right, &wrong])
                .map_err(|message| format!("{grid}, {border:?}: {message}"))?;
        }
    }
    Ok(())
}

/// Right weights pass, wrong ones do not.
fn check(gpu: &Gpu, field: &Field, pair: &Pair, [right, wrong]: [&Jacobi; 2]) -> Result<(), String> {
    let verify = |jacobi: &Jacobi| {
        let stepper = pair.stepper(&gpu.device, jacobi).map_err(|error| error.to_string())?;
        field.verify(&gpu.device, &gpu.queue, pair, &stepper).map_err(|error| error.to_string())
    };
    if let Some(difference) = verify(right)? {
        return Err(difference.to_string());
    }
    let difference = verify(wrong)?.ok_or("wrong weights went unnoticed")?;
    let job = right.job();
    let Grid { planes, rows, cols } = job.grid;
    // Fixed cells stay right, and so do cells whose neighbours add up to zero twice.
    let fixed = job.borders.are_fixed();
    let inner = |side: u32| u64::from(if fixed { side - 2 } else { side });
    let deep = if planes == 1 { 1 } else { inner(planes) };
    let words = (deep * inner(rows) * inner(cols) * job.element.size()).div_ceil(4);
    let first = u64::from(fixed);
    let at = [if planes == 1 { 0 } else { first }, first];
    // Two cells in a word, or two words in a cell of which only one may differ.
    let least = words / 4;
    if difference.at[..2] != at || difference.words < least || difference.words > 2 * words {
        return Err(format!("{difference}; there are {words} words"));
    }
    Ok(())
}
