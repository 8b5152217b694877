//! Chooses the kernel that steps a grid on a device, and its shape. Pure: no GPU here.
//!
//! Each shape in each sensible height is estimated, and the fastest is taken. How many workgroups and turns a shape needs for a grid is arithmetic;
//! how long a turn takes was measured (`shapes`). A core holds a few workgroups at once, so they run in waves, and a wave with few workgroups takes
//! nearly as long as a full one: heights are chosen so that the last wave is full. The dispatches of a slab, which write fewer and fewer layers, each
//! have a height of their own. For a device that was calibrated, samples take the place of all that ([`samples`](super::samples)).

use crate::stencil::blocked::machine::Machine;
use crate::stencil::blocked::plan;
use crate::stencil::blocked::shapes::Shape;
use crate::stencil::config::Config;
use crate::stencil::stencils::Dims;
use crate::stencil::tuning::Tuning;

/// Nanoseconds that a single step takes for each byte that it moves in 2D and in 3D, on the NVIDIA GPU with the fastest memory
/// that was measured (H200). On others single steps are slower than estimated, and sweeps of many steps are not chosen too early.
const NVIDIA_BYTE: [f64; 2] = [1.0 / 4150.0, 1.0 / 3400.0];

/// The most workgroups one behind the other that are tried.
const MOST_STRETCHES: u32 = 96;

/// The kernel of a configuration with open choices. With `all`, the kernel that takes single steps is one of them.
pub(in crate::stencil) fn choose(config: &Config, machine: &Machine, all: bool) -> Config {
    // Passes of many steps are the default only where they were measured.
    if all && !Shape::are_measured(config, machine) {
        return single_steps(config);
    }
    let ns = |tried: &Config, shape: Option<&Shape>| {
        Some(shape.map_or(single_ns(config, machine), |shape| estimate(tried, machine, shape)))
    };
    fastest(config, machine, all, ns).unwrap_or(*config)
}

/// The kernel of a configuration with open choices that takes the fewest nanoseconds: `ns` estimates those of a shape and, with `all`, of
/// single steps, which have no shape.
pub(super) fn fastest(
    config: &Config,
    machine: &Machine,
    all: bool,
    ns: impl Fn(&Config, Option<&Shape>) -> Option<f64>,
) -> Option<Config> {
    let single = all.then(|| (single_steps(config), None));
    // With a right-hand side, which each level reads again, sweeps of many steps are slower than single steps.
    let shapes = Shape::offered(config, machine).iter().filter(|_| !all || !config.rhs);
    let sweeps =
        shapes.flat_map(|shape| heights(config, machine, shape).map(move |tried| (tried, Some(shape))));
    let tried = single.into_iter().chain(sweeps);
    let estimated = tried.filter_map(|(tried, shape)| Some((tried, ns(&tried, shape)?)));
    estimated.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(tried, _)| tried)
}

/// A chosen configuration with the height that is estimated best for a dispatch that writes this many layers, if its workgroups all run at once with the chosen
/// one. Dispatches in several waves were no faster with a height of their own.
pub(in crate::stencil) fn fit(config: &Config, machine: &Machine, layers: u32) -> Config {
    let height = config.tuning.layers_per_group;
    let is_this = |shape: &&Shape| shape.tuning(config, machine, height) == config.tuning;
    let Some(shape) = Shape::offered(config, machine).iter().find(is_this) else { return *config };
    let slots = shape.slots(config, machine);
    let runs_at_once = |it: &Config| work(it, machine).is_some_and(|(groups, _)| groups <= slots);
    let written = config.with_layers(layers);
    if !runs_at_once(&written) {
        return *config;
    }
    let tried = heights(&written, machine, shape).filter(runs_at_once);
    let tried = tried.map(|it| (it.tuning, estimate(&it, machine, shape)));
    let best = tried.min_by(|a, b| a.1.total_cmp(&b.1));
    best.map_or(*config, |(tuning, _)| Config { tuning, ..*config })
}

/// A configuration for the fastest kernel that takes single steps.
pub(super) fn single_steps(config: &Config) -> Config {
    let variant = config.stencil.fastest_step();
    Config { variant, tuning: Tuning::of(variant), ..*config }
}

/// Nanoseconds of a single step on a GPU whose shapes were measured.
fn single_ns(config: &Config, machine: &Machine) -> f64 {
    machine.launch()
        + NVIDIA_BYTE[config.stencil.dims.count() - 2]
            * config.bytes_moved() as f64
            * config.grid.cells() as f64
}

/// A shape in all heights that a device can run and that cut the layers into equal stretches.
pub(super) fn heights(config: &Config, machine: &Machine, shape: &Shape) -> impl Iterator<Item = Config> {
    let steps = shape.steps(config.stencil.dims);
    let layers = config.layers();
    (1..=MOST_STRETCHES).filter_map(move |stretches| {
        // Turns at a side of the grid are slower, so the last stretch gets fewer layers.
        let height = (layers + steps).div_ceil(stretches);
        if stretches > 1 && height < steps {
            return None;
        }
        let tuning = shape.tuning(config, machine, height.min(32_768));
        let tried = Config { tuning, subgroups: machine.shuffles(tuning.block.cols), ..*config };
        tried.check(config.element.feature(), &machine.limits).is_ok().then_some(tried)
    })
}

/// Workgroups of a sweep, and the layers that pass through each of them.
pub(super) fn work(config: &Config, machine: &Machine) -> Option<(u64, u64)> {
    let steps = config.deepest(&machine.limits);
    let [Some(across), Some(down)] = plan::tiles(config, steps) else { return None };
    let layers = config.layers();
    let height = config.tuning.layers_per_group.min(layers);
    let groups = u64::from(across) * u64::from(down) * u64::from(layers.div_ceil(height));
    Some((groups, u64::from(height) + u64::from(steps) + u64::from(delay(config))))
}

/// Layers that a workgroup lags behind: from the layer that enters to the one that is written, without the steps.
fn delay(config: &Config) -> u32 {
    let Tuning { block, levels_per_team, rows_per_turn, .. } = config.tuning;
    match config.stencil.dims {
        Dims::Two => {
            let lag = if config.subgroups { 1 } else { 1 + rows_per_turn };
            block.rows * ((levels_per_team - 1) * lag + 1)
        }
        Dims::Three => 2 * levels_per_team - 1,
    }
}

/// Nanoseconds a step.
fn estimate(config: &Config, machine: &Machine, shape: &Shape) -> f64 {
    let Some((groups, layers)) = work(config, machine) else { return f64::INFINITY };
    let turns = match config.stencil.dims {
        Dims::Two => layers.div_ceil(shape.rows.into()) + u64::from(shape.teams) - 1,
        Dims::Three => layers,
    };
    let slots = shape.slots(config, machine);
    let wave = |groups: u64| shape.turn_ns(config, groups.div_ceil(machine.cores));
    let (full, rest) = (groups / slots, groups % slots);
    let waves = full as f64 * wave(slots) + if rest > 0 { wave(rest) } else { 0.0 };
    (machine.launch() + turns as f64 * waves) / f64::from(config.deepest(&machine.limits))
}

#[cfg(test)]
mod tests {
    use wgpu::{Features, Limits};

    use super::*;
    use crate::element::Element;
    use crate::stencil::blocked::machine::Class;
    use crate::stencil::shape::Grid;
    use crate::stencil::stencils::{FIVE_POINT, SEVEN_POINT, STENCILS, TWENTY_SEVEN_POINT};

    fn machine(class: Class, subgroup: u32) -> Machine {
        Machine { class, subgroup, cores: 132, limits: Limits::default() }
    }

    fn chosen(grid: Grid, class: Class, subgroup: u32) -> Config {
        let config = Config::fastest(&FIVE_POINT, Element::F32, grid);
        choose(&config, &machine(class, subgroup), true)
    }

    #[test]
    fn large_grids_take_many_steps_per_sweep_and_narrow_grids_one() {
        let large = chosen(Grid::plane(4096, 4096), Class::Nvidia, 32);
        assert!(large.variant.is_blocked() && large.steps_per_pass() >= 12, "{:?}", large.tuning);
        let sliver = chosen(Grid::plane(4_000_000, 3), Class::Nvidia, 32);
        assert!(!sliver.variant.is_blocked(), "{:?}", sliver.tuning);
        let cube = Grid { planes: 256, rows: 256, cols: 256 };
        let cube = Config::fastest(&SEVEN_POINT, Element::F32, cube);
        // A tile of three levels takes more workgroup memory than every device has.
        let roomy = Limits { max_compute_workgroup_storage_size: 49_152, ..Limits::default() };
        let roomy = Machine { limits: roomy, ..machine(Class::Nvidia, 32) };
        assert_eq!(choose(&cube, &roomy, true).steps_per_pass(), 3);
        let driven = Config::fastest(&FIVE_POINT, Element::F32, Grid::plane(4096, 4096)).with_rhs();
        assert!(!choose(&driven, &machine(Class::Nvidia, 32), true).variant.is_blocked());
    }

    #[test]
    fn dispatches_of_a_slab_are_cut_into_equal_stretches() {
        let room = Limits { max_compute_workgroup_storage_size: 49_152, ..Limits::default() };
        let limits = Limits { max_buffer_size: 1 << 30, max_storage_buffer_binding_size: 1 << 30, ..room };
        let machine = Machine { limits, ..machine(Class::Nvidia, 32) };
        let config = Config::fastest(&FIVE_POINT, Element::F32, Grid::plane(4192, 16_384));
        let held = choose(&config, &machine, true);
        let height = |layers: u32| fit(&held, &machine, layers).tuning.layers_per_group;
        // 79 strips in five stretches fill 132 cores; a sixth one would wait for them.
        assert_eq!([4192, 4168, 4000].map(|layers: u32| layers.div_ceil(height(layers))), [5; 3]);
        assert!(height(4192) == held.tuning.layers_per_group && height(4000) < height(4168));
        // A dispatch over an edge leaves most cores idle, unless it is cut.
        assert_eq!(96u32.div_ceil(height(96)), 3);
        // Three stretches of 81 workgroups that fill a core each: the last ones to run are those of the last stretch.
        let cube =
            Config::fastest(&TWENTY_SEVEN_POINT, Element::F32, Grid { planes: 268, rows: 512, cols: 512 });
        let cube = choose(&cube, &machine, true);
        assert_eq!(fit(&cube, &machine, 244).tuning, cube.tuning);
        // 81 run at once, three times as many do not.
        assert!(fit(&cube, &machine, 60).tuning.layers_per_group >= 60);
        // A tuning that is no shape of this machine stays.
        let set = Config { tuning: held.tuning.with_levels_per_team(5), ..held };
        assert_eq!(fit(&set, &machine, 96).tuning, set.tuning);
        // Nor is one changed that was set, or chosen by samples.
        let height = |config: &Config| config.fitted(&machine, 96).tuning.layers_per_group;
        let open = config.choose(&machine, &[]);
        assert!(height(&open) < 96 && height(&open.choose(&machine, &[])) < 96);
        let sampled = config.choose(&machine, &[(open, 1.0)]);
        for kept in [open.with_tuning(open.tuning), sampled] {
            assert_eq!(height(&kept), kept.tuning.layers_per_group);
        }
    }

    #[test]
    fn chosen_kernels_can_be_planned_under_the_default_limits() {
        let limits = Limits::default();
        let planes = [(1, 1), (1, 9000), (9000, 1), (7, 31), (640, 480), (4096, 4096)];
        let boxes = [(1, 1, 1), (1, 1, 900), (900, 1, 1), (7, 31, 2), (64, 64, 64), (128, 512, 512)];
        for class in [Class::Nvidia, Class::Software, Class::Other] {
            for (subgroup, stencil) in
                [0, 4, 8, 32, 64].into_iter().flat_map(|width| STENCILS.iter().map(move |it| (width, *it)))
            {
                let grids = match stencil.dims {
                    Dims::Two => planes.map(|(rows, cols)| Grid::plane(rows, cols)),
                    Dims::Three => boxes.map(|(planes, rows, cols)| Grid { planes, rows, cols }),
                };
                for (grid, all) in grids.into_iter().flat_map(|grid| [(grid, false), (grid, true)]) {
                    let config = Config::fastest(stencil, Element::F32, grid);
                    let chosen = choose(&config, &machine(class, subgroup), all);
                    let planned = chosen.plan(Features::all(), &limits);
                    assert!(planned.is_ok(), "{:?}: {planned:?}", chosen.tuning);
                }
            }
        }
    }
}
