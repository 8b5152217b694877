//! From a grid and a number of steps to the dispatches of one pass. Pure: no GPU here.
//!
//! A grid past one binding is cut into windows, as for single steps ([`window`](crate::stencil::window)); but a window reads as
//! many rows of its neighbours as the pass makes steps, and where it was cut there is no side. Where the grid is a ring in the
//! direction of the cut, its two ends, as many rows again, are stepped in a small grid of their own: what is a layer there
//! for a single step is a layer of so many rows here.

use std::ops::Range;

use wgpu::Limits;

use crate::binding;
use crate::pipeline;
use crate::stencil::config::Config;
use crate::stencil::error::StencilError;
use crate::stencil::plan::{Params, Plan};
use crate::stencil::shape::{Border, Grid};
use crate::stencil::window::{Cut, Halo, Window};

/// A side where a window was cut, as the kernel knows it.
const CUT: u32 = 3;

/// The strips of a pass: how many there are side by side.
pub(super) fn strips(config: &Config, steps: u32) -> Option<u32> {
    let width = u64::from(config.tuning.block.cols) * u64::from(config.tuning.cells_per_lane);
    let lost = u64::from(steps.next_multiple_of(config.lanes()));
    // Beyond a fixed side nothing is loaded.
    let beyond = |side| if side == Border::Fixed { 0 } else { lost };
    let needed = u64::from(config.grid.cols) + beyond(config.borders.west) + beyond(config.borders.east);
    if needed <= width {
        return Some(1);
    }
    let each = width.checked_sub(2 * lost).filter(|each| *each > 0)?;
    u32::try_from(1 + (needed - width).div_ceil(each)).ok()
}

/// Whether strips are wide enough for so many steps.
pub(super) fn strips_fit(config: &Config, steps: u32) -> bool {
    strips(config, steps).is_some()
}

/// Whether strips, windows and the binding of all parameters have room for passes of up to so many steps.
pub(super) fn fits(config: &Config, limits: &Limits, steps: u32) -> bool {
    let cut = config.cut(limits);
    strips_fit(config, steps) && windows_fit(config, cut, steps) && blocks_fit(cut, limits, steps)
}

/// Whether the parameters of all passes of up to so many steps fit in one binding, twice: a run that stops at
/// convergence copies them, and those with which a dispatch does nothing, on the GPU.
fn blocks_fit(cut: Cut, limits: &Limits, steps: u32) -> bool {
    // No pass takes more windows than the fullest. A ring's ends take two more blocks, the residual one.
    let blocks = u64::from(steps) * (slabs(cut, steps, 0..cut.layers).len() as u64 + 2) + 1;
    steps == 1 || 2 * blocks * binding::STRIDE as u64 <= limits.max_storage_buffer_binding_size
}

/// Rows that a window must hold at least.
fn least(cut: Cut, steps: u32, ring: bool) -> u32 {
    if ring { 4 * steps + cut.step } else { 2 * steps + cut.step }
}

fn windows_fit(config: &Config, cut: Cut, steps: u32) -> bool {
    // The two ends of a ring are apart.
    let apart = !config.is_ring() || cut.layers >= 4 * steps + cut.step;
    cut.is_whole() || (cut.most >= least(cut, steps, config.is_ring()) && apart)
}

/// Checks that a grid past one binding can be cut for single steps.
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

/// The rows of a window, and those among them that it writes.
#[derive(Debug, PartialEq)]
struct Slab {
    rows: Range<u32>,
    own: Range<u32>,
}

/// The windows of a pass of so many steps: all rows of `all` are some window's own, once.
fn slabs(cut: Cut, steps: u32, all: Range<u32>) -> Vec<Slab> {
    if cut.is_whole() {
        return vec![Slab { rows: 0..cut.layers, own: all }];
    }
    let mut slabs = Vec::new();
    let mut begin = all.start;
    while begin < all.end {
        let first = begin.saturating_sub(steps) / cut.step * cut.step;
        let last = (first + cut.most).min(cut.layers);
        let end = if last == cut.layers { all.end } else { last - steps };
        slabs.push(Slab { rows: first..last, own: begin..end.min(all.end) });
        begin = end;
    }
    slabs
}

/// The dispatches of a pass that makes so many steps, which [`fits`].
pub(in crate::stencil) fn plan(config: &Config, limits: &Limits, steps: u32) -> Result<Plan, StencilError> {
    let cut = config.cut(limits);
    let ring = config.is_ring() && !cut.is_whole();
    let layer = config.layer();
    let bytes = layer * config.element.size();
    let skipped = |side| u32::from(side == Border::Fixed);
    let (north, south) = (config.borders.north, config.borders.south);
    let computed = if ring {
        steps..cut.layers - steps
    } else {
        skipped(north)..cut.layers.saturating_sub(skipped(south))
    };
    let window = |slab: Slab| {
        let Slab { rows, own } = slab;
        let sides = [(rows.start == 0 && !ring, north), (rows.end == cut.layers && !ring, south)];
        let sides = sides.map(|(kept, side)| if kept { side as u32 } else { CUT });
        let within = own.start - rows.start..own.end.max(own.start) - rows.start;
        let (params, workgroups) =
            dispatch(config, limits, steps, rows.end - rows.start, within.clone(), sides)?;
        // The rows at a fixed side are the window's own as well, though nobody writes them.
        let own = Range {
            start: if rows.start == 0 && !ring { 0 } else { within.start },
            end: if rows.end == cut.layers && !ring { rows.end - rows.start } else { within.end },
        };
        Ok(Window {
            offset: u64::from(rows.start) * bytes,
            size: u64::from(rows.end - rows.start) * bytes,
            own: (u64::from(own.start) * layer) as u32..(u64::from(own.end) * layer) as u32,
            params,
            workgroups,
        })
    };
    let windows = slabs(cut, steps, computed).into_iter().map(window).collect::<Result<_, StencilError>>()?;
    let halo = || {
        let (params, workgroups) = dispatch(config, limits, steps, 4 * steps, steps..3 * steps, [CUT; 2])?;
        let tail = (cut.layers - 2 * steps) / cut.step * cut.step;
        Ok::<_, StencilError>(Halo {
            layer: (layer * u64::from(steps)) as u32,
            tail: u64::from(tail) * bytes,
            skip: (u64::from(cut.layers - 2 * steps - tail) * layer) as u32,
            params,
            workgroups,
            rhs: config.rhs,
        })
    };
    Ok(Plan { windows, halo: ring.then(halo).transpose()? })
}

/// What a kernel over some rows of the grid is given, and its workgroups.
fn dispatch(
    config: &Config,
    limits: &Limits,
    steps: u32,
    rows: u32,
    own: Range<u32>,
    [north, south]: [u32; 2],
) -> Result<(Params, [u32; 2]), StencilError> {
    let Grid { cols, .. } = config.grid;
    let blocks_across = strips(config, steps).expect("so many steps fit");
    let height = config.tuning.rows_per_group;
    let blocks_down = (own.end - own.start).div_ceil(height).max(1);
    let groups = u64::from(blocks_across) * u64::from(blocks_down);
    let workgroups =
        pipeline::folded(groups, limits).ok_or_else(|| StencilError::too_many_workgroups(groups, limits))?;
    let fixed = Border::Fixed as u32;
    let params = Params {
        cols,
        rows,
        planes: 1,
        blocks_across,
        blocks_down,
        planes_per_group: height,
        row: workgroups[0],
        sides: [config.borders.west as u32, config.borders.east as u32, north, south, fixed, fixed],
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
    fn every_row_is_written_once_and_has_its_neighbours() {
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
        for Slab { rows, own } in slabs(cut, steps, all.clone()) {
            assert!(own.start == written && !own.is_empty(), "{cut:?} {own:?}");
            assert!((u64::from(rows.start) * layer_bytes).is_multiple_of(64), "{cut:?} {rows:?}");
            assert!(u64::from(rows.end - rows.start) * layer_bytes <= window_bytes, "{cut:?} {rows:?}");
            assert!(rows.start == 0 || rows.start + steps <= own.start, "{cut:?} {rows:?} {own:?}");
            assert!(rows.end == cut.layers || own.end + steps <= rows.end, "{cut:?} {rows:?} {own:?}");
            written = own.end;
        }
        assert_eq!(written, all.end);
    }
}
