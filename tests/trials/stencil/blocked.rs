//! Time-blocked kernels: however many steps a sweep makes, the bits are those of single steps; and the cells are right.

use halofold::Element;
use halofold::stencil::{Block, Border, Borders, Config, Dims, Tuning, Weights};

use super::run::{Run, random_cells};
use super::{Kernel, grids};
use crate::Checked;
use crate::common::{gpu, in_turn, is_software};

/// A configuration in small shapes, two or four steps a sweep.
pub fn small(config: Config, round: usize) -> Config {
    let shapes = match config.stencil.dims {
        Dims::Two => [[2, 4, 1, 8, 2, 11, 0], [2, 7, 2, 4, 1, 100, 0], [1, 16, 2, 4, 3, 30, 0]],
        _ => [[4, 4, 1, 8, 1, 11, 0], [3, 7, 2, 4, 2, 100, 0], [2, 16, 2, 4, 4, 5, 0]],
    };
    config.with_tuning(tuning(shapes[round % 3], &config))
}

/// Teams and their lanes, levels, cells a lane, rows a turn (2D) or a lane (3D), layers a workgroup; and how many steps to go.
type Shape = [u32; 7];

fn tuning([teams, lanes, levels, cells, rows, layers, _]: Shape, config: &Config) -> Tuning {
    let tuning = Tuning::of(config.variant)
        .with_block(Block { rows: teams, cols: lanes })
        .with_levels_per_team(levels)
        .with_cells_per_lane(cells)
        .with_layers_per_group(layers);
    match config.stencil.dims {
        Dims::Two => tuning.with_rows_per_turn(rows),
        _ => tuning.with_strip(rows).with_rows_per_turn(1 + levels % 2),
    }
}

/// Lanes that make whole subgroups, parts of them, and neither; passes of 1 to 33 steps. The fullest pass takes twice its steps.
#[rustfmt::skip]
const ROW_SHAPES: [Shape; 9] = [
    [1, 4, 1, 8, 1, 100, 3], [1, 4, 3, 4, 2, 7, 7], [4, 8, 2, 4, 2, 33, 16],
    [3, 4, 2, 5, 3, 5, 11], [2, 7, 5, 4, 1, 100, 20], [4, 20, 4, 4, 1, 20, 29],
    [11, 20, 3, 4, 1, 64, 33], [8, 18, 4, 5, 1, 40, 64], [2, 32, 1, 3, 4, 16, 4],
];

/// The same for planes; passes of 1 to 8 steps.
#[rustfmt::skip]
const PLANE_SHAPES: [Shape; 9] = [
    [8, 4, 1, 8, 1, 100, 3], [4, 4, 2, 4, 2, 5, 7], [8, 16, 3, 1, 2, 9, 6],
    [3, 7, 2, 3, 2, 3, 5], [3, 4, 2, 4, 4, 100, 4], [8, 20, 5, 1, 2, 6, 10],
    [14, 8, 6, 2, 1, 64, 12], [16, 8, 7, 2, 1, 12, 7], [18, 8, 8, 3, 1, 40, 16],
];

#[rustfmt::skip]
const PLANES: [[u32; 2]; 10] =
    [[1, 1], [1, 9], [13, 1], [2, 2], [3, 4], [7, 31], [37, 64], [61, 101], [5, 160], [40, 36]];

#[rustfmt::skip]
const SPACES: [[u32; 3]; 10] = [
    [1, 1, 1], [1, 5, 9], [13, 1, 1], [2, 2, 2], [6, 3, 4],
    [9, 13, 31], [11, 17, 64], [17, 29, 37], [3, 7, 160], [20, 40, 12],
];

/// Every kind of side against every other, and rings. The third direction has each pair equally often.
fn borders(nth: usize) -> Borders {
    use Border::{Fixed, Reflect, Wrap};
    let pairs = [(Fixed, Fixed), (Fixed, Reflect), (Reflect, Fixed), (Reflect, Reflect), (Wrap, Wrap)];
    let (row, column) = (nth / 5 % 5, nth % 5);
    let [(west, east), (north, south), (near, far)] = [row, column, (2 * row + column) % 5].map(|i| pairs[i]);
    Borders { west, east, north, south, near, far }
}

/// The same with as many levels as this adapter has workgroup memory for: 64-bit cells take twice as much.
fn within_memory(config: Config) -> Config {
    let most = u64::from(gpu().device.limits().max_compute_workgroup_storage_size);
    let with_levels = |levels| config.with_tuning(config.tuning.with_levels_per_team(levels));
    let fits = |config: &Config| config.on(&gpu().device).workgroup_bytes() <= most;
    (1..=config.tuning.levels_per_team).rev().map(with_levels).find(fits).unwrap_or(config)
}

/// Passes of many steps, and passes of single ones by the plainest shape; these against the CPU.
pub fn as_single_steps(kernel: Kernel, element: Element) -> Checked {
    let Kernel { stencil, .. } = kernel;
    // Weights of no particular kind, which sum to about one: nothing is exact.
    let (shapes, plain, weights) = match stencil.dims {
        Dims::Two => (ROW_SHAPES, [1, 4, 1, 4, 1, 1000, 0], [0.231, 0.187, 0.0053, 0.0]),
        _ => (PLANE_SHAPES, [4, 4, 1, 4, 1, 1000, 0], [0.231, 0.0973, 0.0153, 0.0007]),
    };
    // A step may be off by half a unit in the last place for each of its operations.
    let unit = match element {
        Element::F16 => 2f64.powi(-11),
        Element::F32 => 2f64.powi(-24),
        _ => 2f64.powi(-53),
    };
    for nth in sample(kernel, element, &shapes) {
        let (shape @ [.., steps], has_rhs) = (shapes[nth], nth % 2 == 1);
        // Every other grid, so that each shape meets rows of whole vectors and others, and all kinds of sides.
        let grids = grids(stencil.dims, &PLANES, &SPACES).into_iter().enumerate().skip(nth % 2).step_by(2);
        for (round, grid) in in_turn(grids, 2, nth + element.size() as usize / 4) {
            let config = kernel.config(element, grid).with_borders(borders(round * 7 + nth * 4));
            // A few bits fewer than f16 has, so that every type holds them.
            let noise = |seed, scale| random_cells(grid, seed, |word| (word >> 54) as f64 / 1024.0 * scale);
            let run = |shape| {
                let config = within_memory(config.with_tuning(tuning(shape, &config)));
                let run = Run::new(gpu(), config, Weights::new(&weights), steps);
                if has_rhs { run.with_rhs(noise(7, 1.0 / 64.0)) } else { run }
            };
            let (single, many, start) = (run(plain), run(shape), noise(3, 1.0));
            let expected = single.on_gpu(&start)?;
            many.near(&many.on_gpu(&start)?, &expected, 0.0)?;
            let bound = 4.0 * f64::from(stencil.points() + 6) * unit * f64::from(steps);
            single.near(&expected, &single.on_cpu(&start), bound)?;
        }
    }
    Ok(())
}

/// The shapes to compile: all; on a software adapter one of the four that compile soonest, another per type and stencil.
fn sample(kernel: Kernel, element: Element, shapes: &[Shape]) -> Vec<usize> {
    let mut all: Vec<_> = (0..shapes.len()).collect();
    if !is_software() {
        return all;
    }
    all.sort_by_key(|&nth| shapes[nth][2..5].iter().product::<u32>());
    let is_box = usize::from(kernel.stencil.classes.len() > 2);
    vec![match element {
        Element::F32 => all[2 + is_box],
        Element::F64 => all[is_box],
        _ => all[1 - is_box],
    }]
}
