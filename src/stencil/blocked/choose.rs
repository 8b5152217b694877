//! Which kernel a grid is stepped with on a device, and in what shape. Pure: no GPU here.
//!
//! The choice is the least of some estimates. How many strips, workgroups and turns a shape has on a grid is arithmetic; how
//! long a turn takes was measured, for each shape that is offered, with one workgroup on a core and with more (H200: the
//! records of `measure/examples/blocked_speed.rs`). A core holds a few workgroups of a shape, so they go in waves, and
//! a wave that is nearly empty takes nearly as long as a full one: heights are chosen so that the last wave is full, too.

use wgpu::{DeviceType, Features, Limits};

use crate::element::Element;
use crate::stencil::blocked::plan;
use crate::stencil::config::Config;
use crate::stencil::shape::Block;
use crate::stencil::stencils::{Dims, FIVE_POINT};
use crate::stencil::tuning::Tuning;

/// What is known of a device.
#[derive(Clone, Debug)]
pub(in crate::stencil) struct Machine {
    class: Class,
    /// The smallest subgroup, or 0 if lanes exchange nothing.
    subgroup: u32,
    limits: Limits,
}

/// Devices that are taken for alike.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Class {
    Nvidia,
    Software,
    Other,
}

const NVIDIA: u32 = 0x10de;

/// Nanoseconds that a single step takes for each byte it moves.
const NVIDIA_BYTE: f64 = 1.0 / 4150.0;

impl Machine {
    /// What a device says of itself, for a type of cells.
    pub(in crate::stencil) fn of(
        info: &wgpu::AdapterInfo,
        features: Features,
        limits: Limits,
        element: Element,
    ) -> Self {
        let class = match (info.device_type, info.vendor) {
            (DeviceType::Cpu, _) => Class::Software,
            (_, NVIDIA) => Class::Nvidia,
            _ => Class::Other,
        };
        // Cells of 64 bits are exchanged as two words, which 64-bit integers take apart.
        let wide = if element.size() == 8 { Features::SHADER_INT64 } else { Features::empty() };
        let exchanges = features.contains(Features::SUBGROUP | wide);
        let subgroup = if exchanges { info.subgroup_min_size } else { 0 };
        Machine { class, subgroup, limits }
    }

    /// Whether lanes of a team exchange cells by shuffles: then no team lies in two subgroups.
    pub(in crate::stencil) fn shuffles(&self, lanes: u32) -> bool {
        self.subgroup > 0 && self.subgroup.is_multiple_of(lanes)
    }

    /// Cores, of which each runs workgroups by itself.
    fn cores(&self) -> u64 {
        match self.class {
            Class::Nvidia => 132,
            Class::Software => 1,
            Class::Other => 32,
        }
    }

    /// Nanoseconds that a launch takes.
    fn launch(&self) -> f64 {
        match self.class {
            Class::Nvidia => 2500.0,
            Class::Software => 20_000.0,
            Class::Other => 5000.0,
        }
    }

    /// The shapes that are offered to a grid.
    fn shapes(&self, config: &Config) -> &'static [Shape] {
        let wide = config.element.size() == 8;
        let star = config.stencil == &FIVE_POINT;
        if config.stencil.dims == Dims::Three {
            return PLANES;
        }
        match (self.class, self.subgroup > 0) {
            (Class::Nvidia, true) if wide => NVIDIA_WIDE,
            (Class::Nvidia, true) if star => NVIDIA_STAR,
            (Class::Nvidia, true) => NVIDIA_BOX,
            (Class::Software, true) => SOFTWARE,
            (Class::Other, true) => OTHER,
            (_, false) => ALONE,
        }
    }
}

/// A shape of a time-blocked kernel, and how long its turns take.
#[derive(Clone, Copy, Debug)]
struct Shape {
    teams: u32,
    levels: u32,
    cells: u32,
    /// Rows a turn in 2D, rows of a lane in 3D.
    rows: u32,
    /// Workgroups that a core holds at once.
    residents: u64,
    /// Nanoseconds of a turn: of any, and for each workgroup on the core.
    turn: (f64, f64),
}

impl Shape {
    /// As a tuning, with so many rows or planes for each workgroup.
    fn tuning(&self, config: &Config, lanes: u32, layers: u32) -> Tuning {
        let tuning = config
            .tuning
            .with_block(Block { rows: self.teams, cols: lanes })
            .with_levels_per_team(self.levels)
            .with_cells_per_lane(self.cells);
        match config.stencil.dims {
            Dims::Two => tuning.with_rows_per_turn(self.rows).with_rows_per_group(layers),
            Dims::Three => tuning.with_strip(self.rows).with_planes_per_group(layers),
        }
    }

    /// Turns in which nothing is written yet, or nothing is loaded any more.
    fn delay(&self, config: &Config) -> u64 {
        match config.stencil.dims {
            Dims::Two => {
                let lag = if config.subgroups { 1 } else { 1 + self.rows };
                u64::from(self.teams * ((self.levels - 1) * lag + 1))
            }
            Dims::Three => u64::from(2 * self.levels - 1),
        }
    }
}

const fn shape([teams, levels, cells, rows]: [u32; 4], residents: u64, turn: (f64, f64)) -> Shape {
    Shape { teams, levels, cells, rows, residents, turn }
}

// Measured on an H200, of 32-bit cells where nothing else is said.
const NVIDIA_STAR: &[Shape] = &[
    shape([4, 2, 8, 2], 3, (420.0, 130.0)),
    shape([4, 3, 8, 2], 3, (430.0, 150.0)),
    shape([4, 4, 8, 2], 3, (407.0, 211.0)),
    shape([4, 6, 8, 2], 3, (430.0, 320.0)),
];
const NVIDIA_BOX: &[Shape] = &[
    shape([4, 2, 8, 2], 3, (350.0, 172.0)),
    shape([4, 3, 8, 2], 3, (324.0, 259.0)),
    shape([4, 6, 8, 2], 2, (500.0, 470.0)),
];
/// 64-bit cells.
const NVIDIA_WIDE: &[Shape] = &[
    shape([4, 3, 6, 2], 3, (600.0, 270.0)),
    shape([4, 4, 6, 2], 2, (700.0, 230.0)),
    shape([4, 6, 6, 2], 2, (920.0, 275.0)),
];
/// Without subgroups.
const ALONE: &[Shape] = &[shape([4, 2, 8, 1], 3, (400.0, 60.0)), shape([4, 4, 8, 1], 3, (597.0, 78.0))];
/// Not measured: what fits the default limits, and should suit registers everywhere.
const OTHER: &[Shape] = &[shape([4, 2, 8, 2], 3, (900.0, 300.0)), shape([4, 4, 8, 2], 2, (900.0, 500.0))];
/// 3D, not measured: one turn costs what its cells and levels do.
const PLANES: &[Shape] = &[
    shape([4, 2, 4, 2], 3, (300.0, 200.0)),
    shape([4, 2, 4, 4], 2, (300.0, 350.0)),
    shape([2, 2, 4, 4], 4, (300.0, 200.0)),
    shape([4, 1, 4, 2], 4, (300.0, 120.0)),
];
/// Processors that play a GPU: what counts is the work, whoever does it.
const SOFTWARE: &[Shape] = &[shape([1, 4, 16, 2], 1, (0.0, 1500.0)), shape([2, 4, 16, 2], 1, (0.0, 3000.0))];

/// The kernel of a configuration that leaves knobs open; with `all`, also one that makes single steps, where that is faster.
pub(in crate::stencil) fn choose(config: &Config, machine: &Machine, all: bool) -> Config {
    let variant = config.stencil.fastest_step();
    let single = Config { variant, tuning: Tuning::of(variant), ..*config };
    // Deep passes are taken by themselves only on GPUs whose shapes were measured. A right-hand side is read anew at every
    // level, which is slower than single steps.
    let is_measured = machine.class == Class::Nvidia && config.stencil.dims == Dims::Two;
    if all && (config.rhs || !is_measured) {
        return single;
    }
    match best(config, machine) {
        Some((_, ns)) if all && single_ns(config, machine) <= ns => single,
        Some((tuning, _)) => Config { tuning, subgroups: machine.shuffles(tuning.block.cols), ..*config },
        None if all => single,
        None => *config,
    }
}

/// Nanoseconds of a single step on a GPU whose shapes were measured.
fn single_ns(config: &Config, machine: &Machine) -> f64 {
    machine.launch() + NVIDIA_BYTE * config.bytes_moved() as f64 * config.grid.cells() as f64
}

/// The best shape for a grid, and its nanoseconds a step.
fn best(config: &Config, machine: &Machine) -> Option<(Tuning, f64)> {
    let offered = machine.shapes(config).iter();
    let tried = offered.flat_map(|shape| heights(config, machine, shape));
    tried.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// A shape in the heights that are worth a thought: those that make so many workgroups in a column.
fn heights<'a>(
    config: &'a Config,
    machine: &'a Machine,
    shape: &'a Shape,
) -> impl Iterator<Item = (Tuning, f64)> + 'a {
    // One team is a subgroup, or what the smallest one is.
    let lanes = if machine.subgroup > 0 { machine.subgroup } else { 32 };
    let (steps, layers) = match config.stencil.dims {
        Dims::Two => (shape.teams * shape.levels, config.grid.rows),
        Dims::Three => (shape.levels, config.grid.planes),
    };
    (1..=96u32).filter_map(move |groups| {
        // The last of them takes its turns at the side more slowly: it gets fewer layers.
        let height = (layers + steps).div_ceil(groups);
        if groups > 1 && height < steps {
            return None;
        }
        let tuning = shape.tuning(config, lanes, height.min(32_768));
        let tried = Config { tuning, subgroups: machine.shuffles(lanes), ..*config };
        let fits = tried.check(config.element.feature(), &machine.limits).is_ok();
        fits.then(|| (tuning, estimate(&tried, machine, shape))).filter(|(_, ns)| ns.is_finite())
    })
}

/// Nanoseconds a step.
fn estimate(config: &Config, machine: &Machine, shape: &Shape) -> f64 {
    let steps = config.deepest(&machine.limits);
    let workgroups = plan::strips(config, steps).zip(plan::lines(config, steps));
    let Some((strips, lines)) = workgroups else { return f64::INFINITY };
    let (layers, per_turn, teams) = match config.stencil.dims {
        Dims::Two => (config.grid.rows, shape.rows, shape.teams),
        Dims::Three => (config.grid.planes, 1, 1),
    };
    let height = plan::layers_per_group(config).min(layers);
    let groups = u64::from(strips) * u64::from(lines) * u64::from(layers.div_ceil(height));
    let passed = u64::from(height) + u64::from(steps) + shape.delay(config);
    let turns = passed.div_ceil(per_turn.into()) + u64::from(teams) - 1;
    let (cores, slots) = (machine.cores(), machine.cores() * shape.residents);
    let wave = |groups: u64| shape.turn.0 + shape.turn.1 * groups.div_ceil(cores) as f64;
    let (full, rest) = (groups / slots, groups % slots);
    let waves = full as f64 * wave(slots) + if rest > 0 { wave(rest) } else { 0.0 };
    (machine.launch() + turns as f64 * waves) / f64::from(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stencil::shape::Grid;
    use crate::stencil::stencils::NINE_POINT;

    fn chosen(grid: Grid, class: Class, subgroup: u32) -> Config {
        let machine = Machine { class, subgroup, limits: Limits::default() };
        let config = Config::fastest(&FIVE_POINT, Element::F32, grid);
        choose(&config, &machine, true)
    }

    #[test]
    fn large_grids_go_many_steps_at_a_time_and_slivers_do_not() {
        let large = chosen(Grid::plane(4096, 4096), Class::Nvidia, 32);
        assert!(large.variant.is_blocked() && large.steps_per_pass() >= 12, "{:?}", large.tuning);
        let sliver = chosen(Grid::plane(4_000_000, 3), Class::Nvidia, 32);
        assert!(!sliver.variant.is_blocked(), "{:?}", sliver.tuning);
        let driven = Config::fastest(&FIVE_POINT, Element::F32, Grid::plane(4096, 4096)).with_rhs();
        let machine = Machine { class: Class::Nvidia, subgroup: 32, limits: Limits::default() };
        assert!(!choose(&driven, &machine, true).variant.is_blocked());
    }

    #[test]
    fn what_is_chosen_can_be_planned_under_the_default_limits() {
        let limits = Limits::default();
        for class in [Class::Nvidia, Class::Software, Class::Other] {
            for subgroup in [0, 4, 8, 32, 64] {
                for (rows, cols) in [(1, 1), (1, 9000), (9000, 1), (7, 31), (640, 480), (4096, 4096)] {
                    for stencil in [&FIVE_POINT, &NINE_POINT] {
                        let machine = Machine { class, subgroup, limits: limits.clone() };
                        let config = Config::fastest(stencil, Element::F32, Grid::plane(rows, cols));
                        for all in [false, true] {
                            let chosen = choose(&config, &machine, all);
                            let planned = chosen.plan(Features::all(), &limits);
                            assert!(planned.is_ok(), "{:?}: {planned:?}", chosen.tuning);
                        }
                    }
                }
            }
        }
    }
}
