//! From a grid and a number of steps to the dispatches of one pass. Pure: no GPU here.
//!
//! A grid that is larger than one binding is cut into windows, as for single steps ([`window`](crate::stencil::window)). But a
//! window also reads as many layers of its neighbours as the pass makes steps, and a cut is no side of the grid. If the grid is a
//! ring in the direction of the cut, its two ends are stepped in a small grid, as for a single step; each of its four
//! layers is here as many layers of the grid as the pass makes steps.

use std::ops::Range;

use wgpu::Limits;

use crate::operation::{blocks, grid};
use crate::stencil::config::Config;
use crate::stencil::error::StencilError;
use crate::stencil::plan::{Params, Plan};
use crate::stencil::shape::{Border, Grid};
use crate::stencil::stencils::Dims;
use crate::stencil::tuning::Tuning;
use crate::stencil::window::{Cut, Halo, Window};

/// A side where a window was cut, as the kernel knows it.
pub(in crate::stencil) const CUT: u32 = 3;

/// Workgroups side by side that each load `width` of `length` columns and lose `lost` of them on either side; `None`
/// if nothing is left of them. Beyond a fixed side nothing is loaded.
fn side_by_side(width: u64, lost: u32, length: u32, sides: (Border, Border)) -> Option<u32> {
    let lost = u64::from(lost);
    let beyond = |side| if side == Border::Fixed { 0 } else { lost };
    let needed = u64::from(length) + beyond(sides.0) + beyond(sides.1);
    if needed <= width {
        return Some(1);
    }
    let each = width.checked_sub(2 * lost).filter(|each| *each > 0)?;
    u32::try_from(1 + (needed - width).div_ceil(each)).ok()
}

/// The workgroups of a pass side by side.
pub(super) fn strips(config: &Config, steps: u32) -> Option<u32> {
    let Tuning { block, cells_per_lane, .. } = config.tuning;
    let width = u64::from(block.cols) * u64::from(cells_per_lane);
    let lost = steps.next_multiple_of(config.lanes());
    side_by_side(width, lost, config.grid.cols, config.borders.pairs()[0])
}

/// In 3D, the workgroups of a pass one below the other.
pub(super) fn lines(config: &Config, steps: u32) -> Option<u32> {
    let Tuning { block, strip, .. } = config.tuning;
    let height = u64::from(block.rows) * u64::from(strip);
    match config.stencil.dims {
        Dims::Two => Some(1),
        Dims::Three => side_by_side(height, steps, config.grid.rows, config.borders.pairs()[1]),
    }
}

/// Layers that one workgroup writes.
pub(super) fn layers_per_group(config: &Config) -> u32 {
    match config.stencil.dims {
        Dims::Two => config.tuning.rows_per_group,
        Dims::Three => config.tuning.planes_per_group,
    }
}

/// Returns true if workgroups, windows and the binding of all parameters are large enough for passes of up to this many steps.
pub(super) fn fits(config: &Config, limits: &Limits, steps: u32) -> bool {
    let cut = config.cut(limits);
    let workgroups_fit = strips(config, steps).is_some() && lines(config, steps).is_some();
    workgroups_fit && windows_fit(config, cut, steps) && blocks_fit(cut, limits, steps)
}

/// Returns true if the parameters of all passes of up to this many steps fit in one binding, twice: a run that stops at
/// convergence copies them, and those with which a dispatch does nothing, on the GPU.
fn blocks_fit(cut: Cut, limits: &Limits, steps: u32) -> bool {
    // No pass takes more windows than the fullest. A ring's ends take two more blocks, the residual one.
    let blocks = u64::from(steps) * (slabs(cut, steps, 0..cut.layers).len() as u64 + 2) + 1;
    steps == 1 || 2 * blocks * blocks::STRIDE <= limits.max_storage_buffer_binding_size
}

/// Layers that a window must hold at least.
fn least(cut: Cut, steps: u32, ring: bool) -> u32 {
    if ring { 4 * steps + cut.step } else { 2 * steps + cut.step }
}

fn windows_fit(config: &Config, cut: Cut, steps: u32) -> bool {
    // The two ends of a ring are apart.
    let apart = !config.is_ring() || cut.layers >= 4 * steps + cut.step;
    cut.is_whole() || (cut.most >= least(cut, steps, config.is_ring()) && apart)
}

/// Checks that a grid that is larger than one binding can be cut for single steps.
pub(super) fn check_windows(config: &Config, limits: &Limits) -> Result<(), StencilError> {
    let cut = config.cut(limits);
    if windows_fit(config, cut, 1) {
        return Ok(());
    }
    let least = least(cut, 1, config.is_ring());
    let needed = config.layer().saturating_mul(u64::from(least) * config.element.size());
    let limit = limits.max_storage_buffer_binding_size;
    Err(StencilError::LayersTooLarge { grid: config.grid, least, needed, limit })
}

/// The layers of a window, and those among them that it writes.
#[derive(Debug, PartialEq)]
struct Slab {
    layers: Range<u32>,
    own: Range<u32>,
}

/// The windows of a pass of this many steps: each layer of `all` is one window's own.
fn slabs(cut: Cut, steps: u32, all: Range<u32>) -> Vec<Slab> {
    if cut.is_whole() {
        return vec![Slab { layers: 0..cut.layers, own: all }];
    }
    let mut slabs = Vec::new();
    let mut begin = all.start;
    while begin < all.end {
        let first = begin.saturating_sub(steps) / cut.step * cut.step;
        let last = (first + cut.most).min(cut.layers);
        let end = if last == cut.layers { all.end } else { last - steps };
        slabs.push(Slab { layers: first..last, own: begin..end.min(all.end) });
        begin = end;
    }
    slabs
}

/// The dispatches of a pass that makes this many steps, which [`fits`].
pub(in crate::stencil) fn plan(config: &Config, limits: &Limits, steps: u32) -> Result<Plan, StencilError> {
    let cut = config.cut(limits);
    let ring = config.is_ring() && !cut.is_whole();
    let layer = config.layer();
    let bytes = layer * config.element.size();
    let windows = if ring {
        windows(config, limits, steps, steps..cut.layers - steps, [CUT; 2])?
    } else {
        windows(config, limits, steps, config.computed_layers(), config.outer_sides().map(Border::code))?
    };
    let halo = || {
        let (params, workgroups) = dispatch(config, limits, steps, 4 * steps, steps..3 * steps, [CUT; 2])?;
        let tail = (cut.layers - 2 * steps) / cut.step * cut.step;
        Ok::<_, StencilError>(Halo {
            layers: (layer * u64::from(steps)) as u32,
            tail: u64::from(tail) * bytes,
            skip: (u64::from(cut.layers - 2 * steps - tail) * layer) as u32,
            params,
            workgroups,
            rhs: config.rhs,
        })
    };
    Ok(Plan { windows, halo: ring.then(halo).transpose()? })
}

/// The windows of a pass that makes this many steps and writes the layers `computed`. `ends` are the sides before the first layer
/// and behind the last: a border, or [`CUT`].
pub(in crate::stencil) fn windows(
    config: &Config,
    limits: &Limits,
    steps: u32,
    computed: Range<u32>,
    ends: [u32; 2],
) -> Result<Vec<Window>, StencilError> {
    let cut = config.cut(limits);
    let layer = config.layer();
    let window = |slab: Slab| {
        let Slab { layers, own } = slab;
        let kept = [layers.start == 0 && ends[0] != CUT, layers.end == cut.layers && ends[1] != CUT];
        let sides = [0, 1].map(|end| if kept[end] { ends[end] } else { CUT });
        let within = own.start - layers.start..own.end.max(own.start) - layers.start;
        let count = layers.end - layers.start;
        let (params, workgroups) = dispatch(config, limits, steps, count, within.clone(), sides)?;
        // The layers at a fixed side are the window's own as well, although they are not written.
        let own = Range {
            start: if kept[0] { 0 } else { within.start },
            end: if kept[1] { count } else { within.end },
        };
        Ok(Window {
            offset: u64::from(layers.start) * layer * config.element.size(),
            size: u64::from(count) * layer * config.element.size(),
            own: (u64::from(own.start) * layer) as u32..(u64::from(own.end) * layer) as u32,
            params,
            workgroups,
        })
    };
    slabs(cut, steps, computed).into_iter().map(window).collect()
}

/// The parameters of a kernel over some layers of the grid, and its workgroups.
fn dispatch(
    config: &Config,
    limits: &Limits,
    steps: u32,
    layers: u32,
    own: Range<u32>,
    [low, high]: [u32; 2],
) -> Result<(Params, [u32; 2]), StencilError> {
    let Config { grid: Grid { rows, cols, .. }, borders, .. } = *config;
    let blocks_across = strips(config, steps).expect("so many steps fit");
    let blocks_down = lines(config, steps).expect("so many steps fit");
    let stretches = (own.end - own.start).div_ceil(layers_per_group(config)).max(1);
    let groups = u64::from(blocks_across) * u64::from(blocks_down) * u64::from(stretches);
    let workgroups = grid::of(groups, limits, ", or use a larger block")?;
    let fixed = Border::Fixed.code();
    let (west, east) = (borders.west.code(), borders.east.code());
    let (rows, planes, sides) = match config.stencil.dims {
        Dims::Two => (layers, 1, [west, east, low, high, fixed, fixed]),
        Dims::Three => (rows, layers, [west, east, borders.north.code(), borders.south.code(), low, high]),
    };
    let params = Params {
        cols,
        rows,
        planes,
        blocks_across,
        blocks_down,
        planes_per_group: layers_per_group(config),
        row: workgroups[0],
        sides,
        begin: own.start,
        end: own.end,
        steps,
    };
    Ok((params, workgroups))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_is_written_once_and_has_its_neighbours() {
        for layers in 1..90 {
            for (layer_bytes, steps) in [(4, 1), (36, 2), (64, 3), (100, 4), (256, 7)] {
                for window_bytes in (256..4000).step_by(52) {
                    let cut = Cut::new(layers, layer_bytes, window_bytes, 64);
                    for all in [0..layers, steps..layers.saturating_sub(steps)] {
                        check(cut, layer_bytes, window_bytes, steps, all);
                    }
                }
            }
        }
    }

    fn check(cut: Cut, layer_bytes: u64, window_bytes: u64, steps: u32, all: Range<u32>) {
        let fits = cut.most >= least(cut, steps, false);
        if all.is_empty() || !(cut.is_whole() || fits) {
            return;
        }
        let mut written = all.start;
        for Slab { layers: window, own } in slabs(cut, steps, all.clone()) {
            assert!(own.start == written && !own.is_empty(), "{cut:?} {own:?}");
            assert!((u64::from(window.start) * layer_bytes).is_multiple_of(64), "{cut:?} {window:?}");
            assert!(u64::from(window.end - window.start) * layer_bytes <= window_bytes, "{cut:?} {window:?}");
            assert!(window.start == 0 || window.start + steps <= own.start, "{cut:?} {window:?} {own:?}");
            assert!(window.end == cut.layers || own.end + steps <= window.end, "{cut:?} {window:?} {own:?}");
            written = own.end;
        }
        assert_eq!(written, all.end);
    }
}
