//! Time-blocked kernels: however many steps a pass makes, the bits are those of single steps; and the cells are right.

use halofold::Element;
use halofold::stencil::{Block, Border, Borders, Config, Dims, Grid, Tuning, Weights};
use halofold::stencil::{STENCILS, Stencil};
use libtest_mimic::{Failed, Trial};

use super::run::Run;
use crate::common::{Random, gpu, in_turn, is_software};

/// Weights of no particular kind, which sum to about one: nothing is exact.
fn weights(stencil: &Stencil) -> Weights {
    match stencil.dims {
        Dims::Two => Weights::new(&[0.231, 0.187, 0.0053, 0.0]),
        _ => Weights::new(&[0.231, 0.0973, 0.0153, 0.0007]),
    }
}

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    let blocked = |stencil: &&Stencil| stencil.variants().any(|variant| variant.is_blocked());
    for stencil in STENCILS.iter().copied().filter(blocked) {
        for element in [Element::F32, Element::F64, Element::F16] {
            let name = format!("stencil::blocked::{}::{element}::as_single_steps", stencil.name);
            let left_out = super::reason_to_leave_out(true, element);
            trials.push(crate::trial(name, left_out, move || as_single_steps(stencil, element)));
        }
    }
    trials
}

/// A configuration in small shapes, two or four steps a pass.
pub fn small(config: Config, round: usize) -> Config {
    #[rustfmt::skip]
    let shapes = match config.stencil.dims {
        Dims::Two => [
            Shape { block: (2, 4), levels: 1, cells: 8, rows: 2, layers: 11, steps: 0 },
            Shape { block: (2, 7), levels: 2, cells: 4, rows: 1, layers: 100, steps: 0 },
            Shape { block: (1, 16), levels: 2, cells: 4, rows: 3, layers: 30, steps: 0 },
        ],
        _ => [
            Shape { block: (4, 4), levels: 1, cells: 8, rows: 1, layers: 11, steps: 0 },
            Shape { block: (3, 7), levels: 2, cells: 4, rows: 2, layers: 100, steps: 0 },
            Shape { block: (2, 16), levels: 2, cells: 4, rows: 4, layers: 5, steps: 0 },
        ],
    };
    config.with_tuning(shapes[round % 3].tuning(&config))
}

/// Teams and their lanes, levels, cells a lane, rows a turn (2D) or a lane (3D), layers a workgroup; and how many steps to go.
struct Shape {
    block: (u32, u32),
    levels: u32,
    cells: u32,
    rows: u32,
    layers: u32,
    steps: u32,
}

impl Shape {
    fn tuning(&self, config: &Config) -> Tuning {
        let (rows, cols) = self.block;
        let tuning = Tuning::of(config.variant)
            .with_block(Block { rows, cols })
            .with_levels_per_team(self.levels)
            .with_cells_per_lane(self.cells);
        match config.stencil.dims {
            Dims::Two => tuning.with_rows_per_turn(self.rows).with_rows_per_group(self.layers),
            _ => tuning
                .with_strip(self.rows)
                .with_planes_per_group(self.layers)
                .with_rows_per_turn(1 + self.levels % 2),
        }
    }
}

/// Lanes that make whole subgroups of every adapter, or parts of them, and lanes that do not; passes of 1 to 33 steps. An even number of
/// steps takes an even number of passes, so the fullest pass takes twice its steps.
#[rustfmt::skip]
const ROW_SHAPES: [Shape; 9] = [
    Shape { block: (1, 4), levels: 1, cells: 8, rows: 1, layers: 100, steps: 3 },
    Shape { block: (1, 4), levels: 3, cells: 4, rows: 2, layers: 7, steps: 7 },
    Shape { block: (4, 8), levels: 2, cells: 4, rows: 2, layers: 33, steps: 16 },
    Shape { block: (3, 4), levels: 2, cells: 5, rows: 3, layers: 5, steps: 11 },
    Shape { block: (2, 7), levels: 5, cells: 4, rows: 1, layers: 100, steps: 20 },
    Shape { block: (4, 20), levels: 4, cells: 4, rows: 1, layers: 20, steps: 29 },
    Shape { block: (11, 20), levels: 3, cells: 4, rows: 1, layers: 64, steps: 33 },
    Shape { block: (8, 18), levels: 4, cells: 5, rows: 1, layers: 40, steps: 64 },
    Shape { block: (2, 32), levels: 1, cells: 3, rows: 4, layers: 16, steps: 4 },
];

/// The same for planes; passes of 1 to 8 steps.
#[rustfmt::skip]
const PLANE_SHAPES: [Shape; 9] = [
    Shape { block: (8, 4), levels: 1, cells: 8, rows: 1, layers: 100, steps: 3 },
    Shape { block: (4, 4), levels: 2, cells: 4, rows: 2, layers: 5, steps: 7 },
    Shape { block: (8, 16), levels: 3, cells: 1, rows: 2, layers: 9, steps: 6 },
    Shape { block: (3, 7), levels: 2, cells: 3, rows: 2, layers: 3, steps: 5 },
    Shape { block: (3, 4), levels: 2, cells: 4, rows: 4, layers: 100, steps: 4 },
    Shape { block: (8, 20), levels: 5, cells: 1, rows: 2, layers: 6, steps: 10 },
    Shape { block: (14, 8), levels: 6, cells: 2, rows: 1, layers: 64, steps: 12 },
    Shape { block: (16, 8), levels: 7, cells: 2, rows: 1, layers: 12, steps: 7 },
    Shape { block: (18, 8), levels: 8, cells: 3, rows: 1, layers: 40, steps: 16 },
];

const GRIDS: [Grid; 10] = [
    Grid::plane(1, 1),
    Grid::plane(1, 9),
    Grid::plane(13, 1),
    Grid::plane(2, 2),
    Grid::plane(3, 4),
    Grid::plane(7, 31),
    Grid::plane(37, 64),
    Grid::plane(61, 101),
    Grid::plane(5, 160),
    Grid::plane(40, 36),
];

const BOXES: [Grid; 10] = [
    Grid { planes: 1, rows: 1, cols: 1 },
    Grid { planes: 1, rows: 5, cols: 9 },
    Grid { planes: 13, rows: 1, cols: 1 },
    Grid { planes: 2, rows: 2, cols: 2 },
    Grid { planes: 6, rows: 3, cols: 4 },
    Grid { planes: 9, rows: 13, cols: 31 },
    Grid { planes: 11, rows: 17, cols: 64 },
    Grid { planes: 17, rows: 29, cols: 37 },
    Grid { planes: 3, rows: 7, cols: 160 },
    Grid { planes: 20, rows: 40, cols: 12 },
];

/// Every kind of side against every other, and rings. The third direction has each pair equally often.
fn all_borders() -> Vec<Borders> {
    use Border::{Fixed, Reflect, Wrap};
    let pairs = [(Fixed, Fixed), (Fixed, Reflect), (Reflect, Fixed), (Reflect, Reflect), (Wrap, Wrap)];
    let all = (0..25).map(|nth| [pairs[nth / 5], pairs[nth % 5], pairs[(2 * (nth / 5) + nth % 5) % 5]]);
    all.map(|[(west, east), (north, south), (near, far)]| Borders { west, east, north, south, near, far })
        .collect()
}

fn noise(grid: Grid, seed: u64) -> Vec<f64> {
    let mut numbers = Random::new(seed);
    // A few bits fewer than f16 has, so that every type holds them.
    (0..grid.cells()).map(|_| f64::from((numbers.next() >> 54) as u32) / 1024.0).collect()
}

/// The same with as many levels as this adapter has workgroup memory for: 64-bit cells take twice as much.
fn within_memory(config: Config) -> Config {
    let most = u64::from(gpu().device.limits().max_compute_workgroup_storage_size);
    let with_levels = |levels| config.with_tuning(config.tuning.with_levels_per_team(levels));
    let fits = |config: &Config| config.on(&gpu().device).workgroup_bytes() <= most;
    (1..=config.tuning.levels_per_team).rev().map(with_levels).find(fits).unwrap_or(config)
}

/// Passes of many steps, and passes of single ones by the plainest shape.
fn as_single_steps(stencil: &'static Stencil, element: Element) -> Result<(), Failed> {
    let variant = stencil
        .variants()
        .find(|variant| variant.is_blocked())
        .expect("the trials are of stencils that have one");
    let (grids, shapes) = match stencil.dims {
        Dims::Two => (GRIDS, ROW_SHAPES),
        _ => (BOXES, PLANE_SHAPES),
    };
    let plain = Shape {
        block: (if stencil.dims == Dims::Two { 1 } else { 4 }, 4),
        levels: 1,
        cells: 4,
        rows: 1,
        layers: 1000,
        steps: 0,
    };
    let borders = all_borders();
    for nth in sample(stencil, element, &shapes) {
        let (shape, rhs) = (&shapes[nth], nth % 2 == 1);
        // Every other grid, so that each shape meets rows of whole vectors and others, and all kinds of sides.
        let rounds = grids.into_iter().enumerate().filter(|(round, _)| (round + nth) % 2 == 0);
        for (round, grid) in in_turn(rounds, 2, nth + element.size() as usize / 4) {
            let borders = borders[(round * 7 + nth * 4) % borders.len()];
            let config = Config::new(stencil, variant, element, grid).with_borders(borders);
            let run = |shape: &Shape| {
                let config = within_memory(config.with_tuning(shape.tuning(&config)));
                let run = Run::new(gpu(), config, weights(stencil), shape.steps);
                if rhs { run.with_rhs(noise(grid, 7).iter().map(|x| x / 64.0).collect()) } else { run }
            };
            let cells = noise(grid, 3);
            let (single, many) = (run(&Shape { steps: shape.steps, ..plain }), run(shape));
            let expected = single.on_gpu(&cells)?;
            let got = many.on_gpu(&cells)?;
            many.same(&got, &expected).map_err(|error| format!("shape {nth}: {error}"))?;
            near(&single, &expected, &single.on_cpu(&cells))?;
        }
    }
    Ok(())
}

/// The shapes to compile: all; on a software adapter one of the four that it compiles soonest, another for each type and for each of the two
/// stencils that share them.
fn sample(stencil: &Stencil, element: Element, shapes: &[Shape]) -> Vec<usize> {
    let mut all: Vec<_> = (0..shapes.len()).collect();
    if !is_software() {
        return all;
    }
    all.sort_by_key(|&nth| shapes[nth].levels * shapes[nth].cells * shapes[nth].rows);
    let is_box = usize::from(stencil.classes.len() > 2);
    vec![match element {
        Element::F32 => all[2 + is_box],
        Element::F64 => all[is_box],
        _ => all[1 - is_box],
    }]
}

/// Single steps against the CPU: each may be off by half a unit in the last place for each of its operations.
fn near(run: &Run, got: &[f64], expected: &[f64]) -> Result<(), String> {
    let unit = match run.config.element {
        Element::F16 => 2f64.powi(-11),
        Element::F32 => 2f64.powi(-24),
        _ => 2f64.powi(-53),
    };
    let bound = 4.0 * f64::from(run.config.stencil.points() + 6) * unit * f64::from(run.steps);
    let is_near = |at: &usize| (got[*at] - expected[*at]).abs() <= bound;
    match (0..got.len()).find(|at| !is_near(at)) {
        None => Ok(()),
        Some(at) => {
            let what = run.describe();
            Err(format!("{what}: cell {at} is {}, expected {} ± {bound:e}", got[at], expected[at]))
        }
    }
}
