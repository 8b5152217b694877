//! Time-blocked kernels: however many steps a pass makes, the bits are those of single steps; and the cells are right.

use halofold::Element;
use halofold::stencil::{Block, Border, Borders, Config, Grid, Tuning, Variant, Weights};
use halofold::stencil::{FIVE_POINT, NINE_POINT, Stencil};
use libtest_mimic::{Failed, Trial};

use crate::common::{Random, gpu};
use crate::run::Run;

/// Weights of no particular kind, which sum to about one: nothing is exact.
const WEIGHTS: Weights = Weights([0.231, 0.187, 0.0053, 0.0]);

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for stencil in [&FIVE_POINT, &NINE_POINT] {
        for element in [Element::F32, Element::F64, Element::F16] {
            let missing = element.feature() - gpu().device.features();
            let name = format!("blocked::{}::{element}::as_single_steps", stencil.name);
            let trial = Trial::test(name, move || as_single_steps(stencil, element));
            trials.push(trial.with_ignored_flag(!missing.is_empty()));
        }
    }
    trials
}

/// A configuration in small shapes, two or four steps a pass.
pub fn small(config: Config, round: usize) -> Config {
    #[rustfmt::skip]
    let shapes = [
        Shape { block: (2, 4), levels: 1, cells: 8, turn: 2, height: 11, steps: 0 },
        Shape { block: (2, 7), levels: 2, cells: 4, turn: 1, height: 100, steps: 0 },
        Shape { block: (1, 16), levels: 2, cells: 4, turn: 3, height: 30, steps: 0 },
    ];
    config.with_tuning(shapes[round % 3].tuning(config.variant))
}

/// Teams and their lanes, levels, cells a lane, rows a turn, rows a workgroup; and how many steps to go.
struct Shape {
    block: (u32, u32),
    levels: u32,
    cells: u32,
    turn: u32,
    height: u32,
    steps: u32,
}

impl Shape {
    fn tuning(&self, variant: &'static Variant) -> Tuning {
        let (rows, cols) = self.block;
        Tuning::of(variant)
            .with_block(Block { rows, cols })
            .with_levels_per_team(self.levels)
            .with_cells_per_lane(self.cells)
            .with_rows_per_turn(self.turn)
            .with_rows_per_group(self.height)
    }
}

/// Lanes that make whole subgroups of every adapter, or parts of them, and lanes that do not; passes of 1 to 33 steps.
#[rustfmt::skip]
const SHAPES: [Shape; 9] = [
    Shape { block: (1, 4), levels: 1, cells: 8, turn: 1, height: 100, steps: 3 },
    Shape { block: (1, 4), levels: 3, cells: 12, turn: 2, height: 7, steps: 7 },
    Shape { block: (4, 4), levels: 4, cells: 16, turn: 2, height: 33, steps: 16 },
    Shape { block: (3, 4), levels: 2, cells: 7, turn: 3, height: 5, steps: 11 },
    Shape { block: (2, 7), levels: 5, cells: 4, turn: 1, height: 100, steps: 10 },
    Shape { block: (4, 20), levels: 4, cells: 4, turn: 2, height: 20, steps: 29 },
    Shape { block: (3, 4), levels: 11, cells: 20, turn: 1, height: 64, steps: 33 },
    Shape { block: (11, 9), levels: 3, cells: 9, turn: 1, height: 40, steps: 33 },
    Shape { block: (2, 32), levels: 1, cells: 3, turn: 4, height: 16, steps: 2 },
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

/// Every kind of side against every other, and rings.
fn all_borders() -> Vec<Borders> {
    use Border::{Fixed, Mirror, Periodic};
    let pairs = [(Fixed, Fixed), (Fixed, Mirror), (Mirror, Fixed), (Mirror, Mirror), (Periodic, Periodic)];
    let both = pairs.iter().flat_map(|&columns| pairs.map(|rows| (columns, rows)));
    both.map(|((west, east), (north, south))| Borders { west, east, north, south, ..Borders::default() })
        .collect()
}

fn noise(grid: Grid, seed: u64) -> Vec<f64> {
    let mut numbers = Random::new(seed);
    // A few bits fewer than f16 has, so that every type holds them.
    (0..grid.cells()).map(|_| f64::from((numbers.next() >> 54) as u32) / 1024.0).collect()
}

/// Passes of many steps, and passes of single ones by the plainest shape.
fn as_single_steps(stencil: &'static Stencil, element: Element) -> Result<(), Failed> {
    let variant = Variant::named(stencil, "time-pipeline").expect("it serves 2D");
    let plain = Shape { block: (1, 4), levels: 1, cells: 4, turn: 1, height: 1000, steps: 0 };
    let borders = all_borders();
    for (round, grid) in GRIDS.into_iter().enumerate() {
        for (nth, shape) in SHAPES.iter().enumerate() {
            // A driver takes longest to compile, so shapes and grids meet now and then: every shape three times in 32 bits.
            if (3 * round + nth) % 10 >= if element == Element::F32 { 3 } else { 1 } {
                continue;
            }
            let borders = borders[(round * 7 + nth * 4) % borders.len()];
            let config = Config::new(stencil, variant, element, grid).with_borders(borders);
            let rhs = (round + nth) % 2 == 1;
            let run = |tuning| {
                let run = Run::new(gpu(), config.with_tuning(tuning), WEIGHTS, shape.steps);
                if rhs { run.with_rhs(noise(grid, 7).iter().map(|x| x / 64.0).collect()) } else { run }
            };
            let cells = noise(grid, 3);
            let (single, many) = (run(plain.tuning(variant)), run(shape.tuning(variant)));
            let expected = single.on_gpu(&cells)?;
            let got = many.on_gpu(&cells)?;
            // Of nine points Mesa's compiler rearranges some sums as it finds rows side by side.
            let held = match stencil.points() {
                5 => many.same(&got, &expected),
                _ => near(&many, &got, &expected),
            };
            held.map_err(|error| format!("shape {nth}: {error}"))?;
            near(&single, &expected, &single.on_cpu(&cells))?;
        }
    }
    Ok(())
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
        Some(at) => Err(format!(
            "{} {:?}: cell {at} is {}, expected {} ± {bound:e}",
            run.config.grid, run.config.borders, got[at], expected[at]
        )),
    }
}
