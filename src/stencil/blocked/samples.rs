//! Chooses a shape by samples: times of shapes on this very device. Pure: no GPU here.
//!
//! A sample is one shape on one grid. It tells how long a cell takes that is loaded and stepped; how many cells a shape loads
//! for another grid is arithmetic. So a shape's time on a grid is estimated by its sample on the grid closest in size. Where it
//! gets fewer workgroups than in the sample, fewer of the device's cores work.

use crate::stencil::blocked::choose::{fastest, heights, single_steps, work};
use crate::stencil::blocked::machine::Machine;
use crate::stencil::blocked::shapes::Shape;
use crate::stencil::config::Config;
use crate::stencil::shape::Grid;
use crate::stencil::stencils::Dims;

/// A configuration that was timed, and nanoseconds a step.
type Sample = (Config, f64);

/// Stretches, one behind the other, in which a calibration times every shape: few tall workgroups, and many.
const STRETCHES: [usize; 2] = [8, 24];

/// The configurations that a calibration times: single steps, and every shape that is offered, on small and large grids.
pub(in crate::stencil) fn trials(config: &Config, machine: &Machine, grids: &[Grid]) -> Vec<Config> {
    let mut trials = Vec::new();
    for &grid in grids {
        let config = Config { grid, ..*config };
        trials.push(single_steps(&config));
        for shape in Shape::offered(&config, machine) {
            let heights: Vec<_> = heights(&config, machine, shape).collect();
            let picked = STRETCHES.map(|nth| heights.get(nth - 1).or(heights.last()));
            for trial in picked.into_iter().flatten() {
                if trials.last().is_none_or(|last: &Config| last.tuning != trial.tuning) {
                    trials.push(*trial);
                }
            }
        }
    }
    trials
}

/// The kernel of a configuration with open choices, by samples; `None` if none is about it.
pub(in crate::stencil) fn choose_by(
    samples: &[Sample],
    config: &Config,
    machine: &Machine,
    all: bool,
) -> Option<Config> {
    let is_about = |timed: &Config| timed.stencil == config.stencil && timed.element == config.element;
    let samples: Vec<_> = samples.iter().filter(|(timed, _)| is_about(timed)).collect();
    fastest(config, machine, all, |tried, _| estimate(&samples, tried, machine))
}

/// Cells that a sweep loads and steps, and its workgroups; of a kernel that takes single steps the grid's cells.
fn load(config: &Config, machine: &Machine) -> Option<(f64, f64)> {
    if !config.variant.is_blocked() {
        return Some((config.grid.cells() as f64, 1.0));
    }
    let (groups, layers) = work(config, machine)?;
    let tuning = config.tuning;
    let across = u64::from(tuning.block.cols) * u64::from(tuning.cells_per_lane);
    let down = match config.stencil.dims {
        Dims::Two => 1,
        Dims::Three => u64::from(tuning.block.rows) * u64::from(tuning.strip),
    };
    Some(((groups * layers * across * down) as f64, groups as f64))
}

/// Returns true if two configurations are of one shape, whatever its height.
fn are_alike(one: &Config, other: &Config) -> bool {
    let tuning = one.tuning.with_layers_per_group(other.tuning.layers_per_group);
    std::ptr::eq(one.variant, other.variant) && (!one.variant.is_blocked() || tuning == other.tuning)
}

/// Nanoseconds a step, by the samples of the same shape on the grid closest in size; the one that promises most.
fn estimate(samples: &[&Sample], config: &Config, machine: &Machine) -> Option<f64> {
    let (cells, groups) = load(config, machine)?;
    let alike = samples.iter().filter(|sample| are_alike(&sample.0, config));
    let far = |(timed, _): &Sample| (timed.grid.cells() as f64 / config.grid.cells() as f64).ln().abs();
    let nearest = alike.clone().map(|sample| far(sample)).min_by(f64::total_cmp)?;
    let promised = alike.filter(|sample| far(sample) <= nearest).filter_map(|(timed, ns)| {
        let (sampled_cells, sampled_groups) = load(timed, machine)?;
        Some(ns * cells / sampled_cells * (sampled_groups / groups).max(1.0))
    });
    promised.min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use wgpu::Limits;

    use super::*;
    use crate::element::Element;
    use crate::stencil::blocked::machine::Class;
    use crate::stencil::stencils::{FIVE_POINT, SEVEN_POINT};

    fn machine() -> Machine {
        Machine { class: Class::Other, subgroup: 32, cores: 48, limits: Limits::default() }
    }

    /// Samples of a device on which sweeps of many steps take `sweeps` ns for a thousand cells, single steps `single`.
    fn samples(config: &Config, grids: &[Grid], sweeps: f64, single: f64) -> Vec<Sample> {
        let timed = |trial: Config| {
            let ns = if trial.variant.is_blocked() { sweeps } else { single };
            (trial, ns * trial.grid.cells() as f64 / 1000.0)
        };
        trials(config, &machine(), grids).into_iter().map(timed).collect()
    }

    #[test]
    fn the_faster_kernel_is_taken_and_fits() {
        let square = |side| Grid::plane(side, side);
        let cube = |side| Grid { planes: side, rows: side, cols: side };
        for (stencil, grids) in
            [(&FIVE_POINT, [square(512), square(2048)]), (&SEVEN_POINT, [cube(64), cube(128)])]
        {
            for grid in grids {
                let config = Config::fastest(stencil, Element::F32, grid);
                let fast = samples(&config, &grids, 1.0, 4.0);
                let chosen = choose_by(&fast, &config, &machine(), true).unwrap();
                assert!(chosen.variant.is_blocked(), "{:?}", chosen.tuning);
                assert!(chosen.plan(wgpu::Features::all(), &Limits::default()).is_ok());
                let slow = samples(&config, &grids, 4.0, 1.0);
                let chosen = choose_by(&slow, &config, &machine(), true).unwrap();
                assert!(!chosen.variant.is_blocked());
            }
        }
    }

    #[test]
    fn samples_of_another_stencil_are_ignored() {
        let grid = Grid { planes: 64, rows: 64, cols: 64 };
        let plane = Config::fastest(&FIVE_POINT, Element::F32, Grid::plane(512, 512));
        let samples = samples(&plane, &[plane.grid], 1.0, 4.0);
        let config = Config::fastest(&SEVEN_POINT, Element::F32, grid);
        assert!(choose_by(&samples, &config, &machine(), true).is_none());
    }

    #[test]
    fn narrow_grids_take_single_steps() {
        let config = Config::fastest(&FIVE_POINT, Element::F32, Grid::plane(2048, 2048));
        let samples = samples(&config, &[config.grid], 1.0, 4.0);
        let sliver = Config { grid: Grid::plane(2_000_000, 3), ..config };
        assert!(!choose_by(&samples, &sliver, &machine(), true).unwrap().variant.is_blocked());
    }
}
