//! Every stencil variant against the CPU, on the adapter at hand.
//!
//! On dyadic data (small integers, weights that are powers of two) every order of additions is exact, so results are
//! compared bit for bit over the whole grid, borders included; on random data within a bound that follows from the
//! operations of a cell and the steps. What the adapter cannot run is listed as ignored, with the reason.

mod blocked;
mod composed;
mod field;
mod modes;
mod poisson;
mod residual;
mod run;
mod shape;
mod slabs;
mod until;
mod windows;

use self::run::{Run, borders, dyadic_cells, general_borders, random_cells, repeated};
use self::windows::{long_grids, small};
use crate::common::{fastest, gpu, in_turn, is_slow_to_compile, is_software};
use crate::{Adapters, Checked};
use halofold::Element;
use halofold::stencil::{BOXES, Borders, Config, Dims, FIVE_POINT, Grid, STENCILS, Stencil, Variant};
use libtest_mimic::Trial;

type Check = fn(Kernel, Element) -> Checked;

/// The name of a check, the kernels and the types that it is of.
type Row = (&'static str, fn(Kernel) -> bool, &'static [Element], Check);

type Single = (&'static str, fn() -> Checked);

const FLOATS: &[Element] = &[Element::F32, Element::F64, Element::F16];
const SINGLE: &[Element] = &[Element::F32];

/// What is checked of each kernel of a kind, in each of some types: a trial each.
const CHECKS: [Row; 17] = [
    ("dyadic", |_| true, FLOATS, dyadic),
    ("random", |_| true, SINGLE, random),
    ("eigenmodes", |_| true, SINGLE, modes::shrink),
    ("borders", |kernel| kernel.variant.is_general(), FLOATS, any_border),
    ("poisson", |_| true, SINGLE, poisson::solves),
    ("poisson until", Kernel::is_fastest, &[Element::F64], poisson::solves_until),
    ("poisson windows", Kernel::is_fastest, SINGLE, poisson::solves_in_windows),
    ("impulse", |_| true, SINGLE, shape::impulse),
    ("frozen", |_| true, SINGLE, shape::frozen),
    ("sizes", |_| true, SINGLE, shape::sizes),
    // The type matters to where windows may start, and to nothing else.
    ("windows", |_| true, SINGLE, windows::several),
    ("windows", Kernel::is_plain, &[Element::F64, Element::F16], windows::several),
    (
        "until",
        |kernel| kernel.is_fastest() && kernel.is_of_five(),
        &[Element::F64, Element::F16],
        until::stops_in_any_type,
    ),
    ("exact residual", Kernel::is_single_of_five, FLOATS, residual::sums_without_rounding),
    (
        "exact residual of odd cells",
        Kernel::is_single_of_five,
        &[Element::F32, Element::F64],
        residual::special,
    ),
    ("exact residual stops", Kernel::is_single_of_five, &[Element::F32, Element::F64], residual::stops),
    ("field", |kernel| kernel.variant.name == "direct-global", FLOATS, field::tells_right_from_wrong),
];

/// Checks of one kernel, or of properties that hold for all.
const SINGLES: [Single; 15] = [
    ("10000 steps", shape::many_steps),
    ("recording", shape::recording),
    ("past 65535 workgroups", windows::past_a_row_of_workgroups),
    ("past 128 MiB", windows::past_the_default_limit),
    ("slabs::grids_that_cannot_be_cut_are_refused", slabs::refused),
    ("slabs::changes_merge", slabs::changes),
    ("until::never", until::never),
    ("until::no steps", until::no_steps),
    ("until::in pieces and again", until::in_pieces_and_again),
    ("until::recorded and never submitted", until::never_submitted),
    ("until::a piece is missing", until::piece_missing),
    ("until::not a number", until::not_a_number),
    ("until::awaited", until::awaited),
    ("until::wrong input", until::wrong_input),
    ("residual::recorded", residual::recorded),
];

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (what, is_met, elements, check) in CHECKS {
        for kernel in Kernel::all().filter(|kernel| is_met(*kernel)) {
            for &element in elements {
                let name = format!("{}::{}::{element}::{what}", kernel.stencil.name, kernel.variant.name);
                let adapters = Adapters::every_if(element == Element::F32 && kernel.is_sampled(what));
                trials.push(trial(name, adapters, kernel, element, move || check(kernel, element)));
            }
        }
    }
    trials.extend(slabs::trials());
    trials.extend(until::trials());
    trials.extend(blocked::trials());
    trials.extend(
        SINGLES.map(|(name, check)| crate::trial(format!("stencil::{name}"), Adapters::One, None, check)),
    );
    trials
}

/// A trial of a kernel, ignored where the device lacks the type.
fn trial(
    name: String,
    adapters: Adapters,
    kernel: Kernel,
    element: Element,
    check: impl FnOnce() -> Checked + Send + 'static,
) -> Trial {
    let is_slow = kernel.variant.is_blocked() && is_slow_to_compile();
    let is_slow = is_slow.then(|| "SwiftShader takes minutes to compile it".to_owned());
    let left_out = crate::lacking(element.feature()).or(is_slow);
    crate::trial(format!("stencil::{name}"), adapters, left_out, check)
}

/// A stencil and a variant that serves it.
#[derive(Clone, Copy)]
pub struct Kernel {
    pub stencil: &'static Stencil,
    pub variant: &'static Variant,
}

impl Kernel {
    /// Every variant of every stencil.
    fn all() -> impl Iterator<Item = Kernel> {
        let of =
            |stencil: &'static Stencil| stencil.variants().map(move |variant| Kernel { stencil, variant });
        STENCILS.iter().chain(BOXES).flat_map(move |stencil| of(stencil))
    }

    /// Its place among all kernels.
    fn nth(self) -> usize {
        let name = |kernel: Kernel| (kernel.stencil.name, kernel.variant.name);
        Kernel::all().position(|other| name(other) == name(self)).expect("it is one of them")
    }

    fn is_of_five(self) -> bool {
        std::ptr::eq(self.stencil, &FIVE_POINT)
    }

    /// True of a check that every adapter runs: of the 5-point stencil all kernels, of other kinds one.
    fn is_sampled(self, what: &str) -> bool {
        let names = (self.stencil.name, self.variant.name);
        let is_one = matches!(names, ("7-point", "direct-global") | ("27-point", "plane-sums"));
        match what {
            "dyadic" => self.is_of_five() || is_one,
            "windows" => self.is_simplest(),
            _ => false,
        }
    }

    /// True of the 5-point stencil's first kernel.
    fn is_simplest(self) -> bool {
        self.is_of_five() && self.variant.name == "direct-global"
    }

    fn is_fastest(self) -> bool {
        std::ptr::eq(self.variant, fastest(self.stencil))
    }

    fn is_single_of_five(self) -> bool {
        self.is_of_five() && std::ptr::eq(self.variant, FIVE_POINT.fastest_step())
    }

    /// Returns true of the simplest kernels, one of each kind.
    fn is_plain(self) -> bool {
        ["direct-global", "register-rows", "plane-sums"].contains(&self.variant.name)
    }

    fn config(self, element: Element, grid: Grid) -> Config {
        Config::new(self.stencil, self.variant, element, grid)
    }

    /// A configuration; on a software adapter of a time-blocked kernel in small shapes, which many trials share: default tunings take it
    /// seconds to compile.
    fn quick_config(self, element: Element, grid: Grid, borders: Borders) -> Config {
        let config = self.config(element, grid).with_borders(borders);
        let is_slow = self.variant.is_blocked() && is_software();
        if is_slow { blocked::small(config, self.nth() + usize::from(!borders.are_fixed())) } else { config }
    }

    /// The grid of two or that of three directions, as the stencil has them.
    fn grid(self, flat: [u32; 2], deep: [u32; 3]) -> Grid {
        grids(self.stencil.dims, &[flat], &[deep])[0]
    }
}

/// The grids of two or those of three directions, as a stencil has them.
fn grids(dims: Dims, flat: &[[u32; 2]], deep: &[[u32; 3]]) -> Vec<Grid> {
    match dims {
        Dims::Two => flat.iter().map(|&[rows, cols]| Grid::plane(rows, cols)).collect(),
        _ => deep.iter().map(|&[planes, rows, cols]| Grid { planes, rows, cols }).collect(),
    }
}

/// Grids around blocks, and shorter than a stencil reaches.
fn small_grids(dims: Dims) -> Vec<Grid> {
    let flat = [[1, 1], [1, 9], [2, 2], [3, 3], [7, 31], [8, 32], [9, 33], [10, 34], [37, 64], [61, 101]];
    let deep = [[1, 1, 1], [2, 3, 5], [3, 3, 3], [4, 8, 32], [9, 11, 36], [35, 10, 34], [5, 17, 67]];
    grids(dims, &flat, &deep)
}

/// Steps after which small integers are exact.
fn exact_steps(element: Element) -> u32 {
    if element == Element::F16 { 1 } else { 2 }
}

/// Every grid with every kernel.
fn dyadic(kernel: Kernel, element: Element) -> Checked {
    composed::check(gpu(), kernel, element, small_grids(kernel.stencil.dims), exact_steps(element))
}

/// Borders that only the general kernels know, also on grids that are shorter than the stencil reaches, and in several windows.
fn any_border(kernel: Kernel, element: Element) -> Checked {
    let dims = kernel.stencil.dims;
    for (borders, long) in general_borders().into_iter().zip(long_grids(dims)) {
        let all = small_grids(dims).into_iter().map(|grid| (gpu(), grid));
        for (gpu, grid) in all.chain([(small(), long)]) {
            let config = kernel.config(element, grid).with_borders(borders);
            let run = Run::new(gpu, config, kernel.stencil.dyadic, exact_steps(element));
            run.check(&dyadic_cells(grid, 5))?;
        }
    }
    Ok(())
}

/// Each step may be off by half a unit in the last place of the largest partial sum per operation; what was off before is weighted like
/// the values are.
fn random(kernel: Kernel, element: Element) -> Checked {
    let grid = kernel.grid([61, 100], [5, 17, 68]);
    let cells = random_cells(grid, 11, |word| f64::from((word >> 40) as f32 / (1 << 23) as f32 - 1.0));
    let weights = [kernel.stencil.usual, repeated([0.3, -0.1, 0.05, 0.02])];
    for (round, borders) in in_turn(borders().into_iter().take(4).enumerate(), 2, kernel.nth()) {
        let weights = weights[usize::from(round > 0)];
        let run = Run::new(gpu(), kernel.quick_config(element, grid, borders), weights, 5);
        let run = if round == 0 { run } else { run.with_rhs(cells.iter().rev().copied().collect()) };
        let unit = f64::from(f32::EPSILON) / 2.0;
        let operations = f64::from(kernel.stencil.points()) + 6.0;
        let (gain, added) = (weights.gain(kernel.stencil).max(1.0), f64::from(u8::from(run.config.rhs)));
        let (mut largest, mut bound) = (1.0, 0.0);
        for _ in 0..run.steps {
            largest = gain * largest + added;
            bound = gain * bound + operations * unit * largest;
        }
        run.near(&run.on_gpu(&cells)?, &run.on_cpu(&cells), bound)?;
    }
    Ok(())
}
