//! Every stencil variant against the CPU, on the adapter at hand.
//!
//! On dyadic data (small integers, weights that are powers of two) every order of additions is exact, so results are compared bit for bit,
//! borders included; on random data within a bound that follows from the operations of a cell and the steps.

mod blocked;
mod composed;
mod field;
mod heat;
mod modes;
mod residual;
mod run;
mod slabs;
mod until;
mod windows;

use self::composed::exact_steps;
use self::run::{Run, borders, dyadic_cells, general_borders, is_fixed, places, random_cells, repeated};
use self::windows::{long_grids, small};
use crate::Checked;
use crate::common::{fastest, gpu, in_turn, is_slow_to_compile, is_software};
use halofold::Element;
use halofold::stencil::{BOXES, Borders, Config, Dims, FIVE_POINT, Grid, STENCILS, Stencil, Variant};
use libtest_mimic::Trial;

type Check = fn(Kernel, Element) -> Checked;

/// The name of a check, the kernels and the types that it is of.
type Row = (&'static str, fn(Kernel) -> bool, &'static [Element], Check);

type Single = (&'static str, fn() -> Checked);

const FLOATS: &[Element] = &[Element::F32, Element::F64, Element::F16];
const WIDE: &[Element] = &[Element::F32, Element::F64];
const SINGLE: &[Element] = &[Element::F32];

/// What is checked of each kernel of a kind, in each of some types: a trial each.
const CHECKS: [Row; 16] = [
    ("dyadic", |_| true, FLOATS, dyadic),
    ("random", |_| true, SINGLE, random),
    ("eigenmodes", |_| true, SINGLE, modes::shrink),
    ("borders", |kernel| kernel.variant.is_general(), FLOATS, any_border),
    // The type matters to where windows may start, and to nothing else.
    ("windows", |_| true, SINGLE, windows::several),
    ("windows", Kernel::is_plain, &[Element::F64, Element::F16], windows::several),
    ("slabs", Kernel::is_cut, FLOATS, slabs::any_cut),
    ("changes of slabs", Kernel::is_single_of_five, FLOATS, slabs::changes),
    ("as single steps", |kernel| kernel.variant.is_blocked(), FLOATS, blocked::as_single_steps),
    ("until", Kernel::is_fastest, SINGLE, until::stops),
    ("until in windows", Kernel::is_fastest, SINGLE, until::stops_in_windows),
    (
        "until",
        |kernel| kernel.is_fastest() && kernel.is_of_five(),
        &[Element::F64, Element::F16],
        until::stops_in_any_type,
    ),
    ("exact residual", Kernel::is_single_of_five, FLOATS, residual::sums_without_rounding),
    ("residual of odd cells", Kernel::is_single_of_five, WIDE, residual::special),
    ("exact residual stops", Kernel::is_single_of_five, WIDE, residual::stops),
    ("field", |kernel| kernel.variant.name == "direct-global", FLOATS, field::tells_right_from_wrong),
];

/// Checks of one kernel, or of properties that hold for all.
const SINGLES: [Single; 9] = [
    ("10000 steps", heat::many_steps),
    ("recording", heat::recording),
    ("past 65535 workgroups", windows::past_a_row_of_workgroups),
    ("past 128 MiB", windows::past_the_default_limit),
    ("slabs::grids_that_cannot_be_cut_are_refused", slabs::refused),
    ("until::never", until::never),
    ("run in pieces", until::in_pieces),
    ("until::awaited", until::awaited),
    ("until::wrong input", until::wrong_input),
];

pub fn trials() -> Vec<Trial> {
    let rows = CHECKS.into_iter().flat_map(|(what, is_met, elements, check)| {
        let pairs = Kernel::all().filter(move |kernel| is_met(*kernel));
        let pairs = pairs.flat_map(|kernel| elements.iter().map(move |element| (kernel, *element)));
        pairs.map(move |(kernel, element)| trial(what, kernel, element, check))
    });
    let single = |(name, check): Single| crate::trial(format!("stencil::{name}"), false, None, check);
    rows.chain(SINGLES.map(single)).collect()
}

/// A trial of a kernel, ignored where the device lacks the type.
fn trial(what: &str, kernel: Kernel, element: Element, check: Check) -> Trial {
    let name = format!("stencil::{}::{}::{element}::{what}", kernel.stencil.name, kernel.variant.name);
    let is_sampled = element == Element::F32 && kernel.is_sampled(what);
    let is_slow = kernel.variant.is_blocked() && is_slow_to_compile();
    let is_slow = is_slow.then(|| "SwiftShader takes minutes to compile it".to_owned());
    let left_out = crate::lacking(element.feature()).or(is_slow);
    crate::trial(name, is_sampled, left_out, move || check(kernel, element))
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

    /// The fastest kernel of a stencil of those that the adapter compiles in time.
    fn fastest(stencil: &'static Stencil) -> Kernel {
        Kernel { stencil, variant: fastest(stencil) }
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
            "windows" | "slabs" => self.is_of_five() && self.variant.name == "direct-global",
            "until" => self.is_of_five(),
            _ => false,
        }
    }

    /// True of the fastest kernel that makes single steps, the simplest one, and the time-blocked one.
    fn is_cut(self) -> bool {
        let usual = [self.stencil.fastest_step().name, "direct-global"];
        self.variant.is_blocked() || usual.contains(&self.variant.name)
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

    /// A configuration; time-blocked kernels on a software adapter in small shapes that many trials share, as default ones compile for seconds.
    fn quick_config(self, element: Element, grid: Grid, borders: Borders) -> Config {
        let config = self.config(element, grid).with_borders(borders);
        let is_slow = self.variant.is_blocked() && is_software();
        if is_slow {
            blocked::small(config, self.nth() + usize::from(borders != Borders::default()))
        } else {
            config
        }
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

/// Grids around blocks, and shorter than a stencil reaches: one to three cells, primes, a block and one more or less.
fn small_grids(dims: Dims) -> Vec<Grid> {
    let flat = [[1, 1], [1, 9], [2, 2], [3, 3], [7, 31], [8, 32], [9, 33], [10, 34], [37, 64], [61, 101]];
    let deep = [[1, 1, 1], [2, 3, 5], [3, 3, 3], [4, 8, 32], [9, 11, 36], [35, 10, 34], [5, 17, 67]];
    let sizes = [[1, 17], [2, 1], [3, 3], [5, 19], [6, 18], [7, 16], [13, 15], [11, 2], [8, 33]];
    let planes = [1, 2, 3, 4, 5, 9, 10, 7, 6].into_iter().zip(sizes);
    let deep: Vec<_> =
        deep.into_iter().chain(planes.map(|(planes, [rows, cols])| [planes, rows, cols])).collect();
    grids(dims, &[&flat[..], &sizes].concat(), &deep)
}

/// Every grid with every kernel.
fn dyadic(kernel: Kernel, element: Element) -> Checked {
    composed::check(gpu(), kernel, element, small_grids(kernel.stencil.dims))
}

/// Borders that only the general kernels know, also on grids that are shorter than the stencil reaches, and in several windows.
fn any_border(kernel: Kernel, element: Element) -> Checked {
    let dims = kernel.stencil.dims;
    for (borders, long) in general_borders().into_iter().zip(long_grids(dims)) {
        let all = small_grids(dims).into_iter().map(|grid| (gpu(), grid));
        for (turn, (gpu, grid)) in all.chain([(small(), long)]).enumerate() {
            let config = kernel.config(element, grid).with_borders(borders);
            let run = Run::new(gpu, config, kernel.stencil.dyadic, exact_steps(element, turn));
            run.check(&dyadic_cells(grid, 5))?;
        }
    }
    Ok(())
}

/// Each step may be off by half a unit in the last place of the largest partial sum per operation; what was off before is weighted like
/// the values are. Cells at fixed sides keep every bit, into the corners where another kind of side begins.
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
        let got = run.on_gpu(&cells)?;
        run.near(&got, &run.on_cpu(&cells), bound)?;
        for (at, (got, before)) in places(grid).zip(got.iter().zip(&cells)) {
            assert!(
                !is_fixed(&run.config, at) || got == before,
                "the cell at {at:?} is {got}, it was {before}"
            );
        }
    }
    Ok(())
}
