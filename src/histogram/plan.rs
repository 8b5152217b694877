//! Plans: from a config, a length and limits to a list of dispatches. Planning is pure and needs no GPU.

use wgpu::Limits;

use crate::histogram::config::Config;
use crate::histogram::error::HistogramError;
use crate::histogram::keys::{Keys, order};
use crate::operation::limits::LimitError;
use crate::operation::{blocks, grid as grids};
use crate::reduce::BufferRange;
use crate::reduce::plan::ByteRange;
use crate::window::{self, Window};

/// Bytes of a key.
const KEY: u64 = 4;

/// Keys per invocation before another workgroup is added: four vectors of four.
const PER_INVOCATION: u64 = 16;

/// The most keys a plan gives one invocation.
///
/// They take 16 384 iterations. Together with those that clear the largest workgroup memory and add it up,
/// this stays below 32 768. Some drivers end loops after 65 535: see `MAX_ITERATIONS` of reductions.
const MOST_PER_INVOCATION: u64 = 16 * 16_384;

/// The most floats a plan gives one invocation. Finding the bin of a float may take a search of 16
/// iterations.
const MOST_FLOATS_PER_INVOCATION: u64 = 1536;

/// One kernel of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// Sets all counts to zero.
    Clear,
    /// Counts keys.
    Count,
}

/// The parameters of a kernel: see `shaders/histogram/shared/io.wgsl`. Applications do not need them.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
#[non_exhaustive]
pub struct Params {
    /// The position of the first key in the binding, in keys.
    pub first: u32,
    /// The number of keys in the window.
    pub len: u32,
    /// Workgroups that share them.
    pub groups: u32,
    /// Workgroups in one row of the grid.
    pub row: u32,
    /// The lowest float that is counted, as its ordered integer.
    pub low: u32,
    /// The ordered integer of the highest float, minus that of the lowest.
    pub span: u32,
    /// Half of the low end.
    pub half_low: f32,
    /// Bins per unit of half the distance from the low end.
    pub scale: f32,
}

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pass {
    /// Its kernel.
    pub step: Step,
    /// The range of the input's buffer that it reads, counted from the buffer's start; `None` if it only
    /// clears.
    pub from: Option<ByteRange>,
    /// Workgroups in x and y.
    pub grid: [u32; 2],
    /// The parameters of its kernel.
    pub params: Params,
}

/// The dispatches of one histogram. A plan is a plain value and needs no device.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub(super) passes: Vec<Pass>,
    pub(super) output: u64,
}

impl Plan {
    /// The dispatches, in order. The list is empty if there are no keys to add.
    pub fn passes(&self) -> &[Pass] {
        &self.passes
    }

    /// Bytes of output after the output's offset: four per bin.
    pub fn output(&self) -> u64 {
        self.output
    }
}

impl Config {
    /// Plans the dispatches over the keys of one range of a buffer, on a device with these limits. It is pure
    /// and needs no device.
    ///
    /// # Errors
    ///
    /// - The errors of [`Config::check`].
    /// - There are more than 2^32 - 1 keys, or more workgroups than a grid holds.
    /// - The offset is not a multiple of 4.
    pub fn plan(&self, input: BufferRange, limits: &Limits) -> Result<Plan, HistogramError> {
        self.check(limits)?;
        let BufferRange { offset, len } = input;
        if !offset.is_multiple_of(KEY) {
            return Err(HistogramError::Misaligned(offset));
        }
        if u32::try_from(len).is_err() {
            return Err(HistogramError::TooManyKeys(len));
        }
        offset.checked_add(len * KEY).ok_or(HistogramError::OutOfReach { offset, len })?;
        window::check(len * KEY, limits)?;
        let mut passes = Vec::new();
        if !self.add {
            let groups = self.bins.div_ceil(self.tuning.workgroup_size);
            let grid = grid(u64::from(groups), limits)?;
            let params = Params { row: grid[0], ..Params::default() };
            passes.push(Pass { step: Step::Clear, from: None, grid, params });
        }
        // The alignment of bindings: at least a vector, because keys are read as vectors.
        let align = u64::from(limits.min_storage_buffer_offset_alignment).max(16);
        let largest = (limits.max_storage_buffer_binding_size.min(1 << 31) / align).max(1) * align;
        for window in window::cut(offset, len, KEY, largest, align) {
            if window.len > 0 {
                passes.push(self.count(window, limits)?);
            }
        }
        let parameters = blocks::offset(passes.len());
        LimitError::unless("max_buffer_size", limits.max_buffer_size, parameters)?;
        Ok(Plan { passes, output: self.output() })
    }

    /// The dispatch over one window.
    fn count(&self, window: Window, limits: &Limits) -> Result<Pass, HistogramError> {
        let groups = self.groups(window.len);
        let grid = grid(groups * u64::from(self.tuning.method.slices()), limits)?;
        let ends = Params { first: window.first, len: window.len, ..self.range() };
        Ok(Pass {
            step: Step::Count,
            from: Some(ByteRange { offset: window.start, size: window.size }),
            grid,
            params: Params { groups: groups as u32, row: grid[0], ..ends },
        })
    }

    /// The number of workgroups that share `len` keys, for each slice of the bins.
    fn groups(&self, len: u32) -> u64 {
        let len = u64::from(len);
        let workgroup_size = u64::from(self.tuning.workgroup_size);
        // A workgroup clears its counters and adds them up. That does not pay with fewer keys than counters.
        let worthwhile =
            (PER_INVOCATION * workgroup_size).max(u64::from(self.tuning.method.slots(self.bins)));
        let most = (self.tuning.max_workgroups / self.tuning.method.slices()).max(1);
        let bound = match self.keys {
            Keys::Numbers => MOST_PER_INVOCATION,
            Keys::Ranges { .. } => MOST_FLOATS_PER_INVOCATION,
        };
        let least = len.div_ceil(bound * workgroup_size);
        len.div_ceil(worthwhile).min(u64::from(most)).max(least)
    }

    /// The parameters that describe the range of floats.
    fn range(&self) -> Params {
        let Keys::Ranges { low, high } = self.keys else { return Params::default() };
        let scale = 2.0 * f64::from(self.bins) / (f64::from(high) - f64::from(low));
        Params {
            low: order(low),
            span: order(high) - order(low),
            half_low: 0.5 * low,
            // An infinite scale times a distance of zero would be NaN.
            scale: scale.min(f64::from(f32::MAX)) as f32,
            ..Params::default()
        }
    }
}

/// The grid for a number of workgroups, folded into rows.
fn grid(groups: u64, limits: &Limits) -> Result<[u32; 2], HistogramError> {
    let limit = grids::most_groups(limits);
    grids::folded(groups, limits).ok_or(HistogramError::TooManyWorkgroups { needed: groups, limit })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::{Method, Tuning};

    #[test]
    fn windows_cover_the_input_once() {
        let limits = Limits { max_storage_buffer_binding_size: 1 << 16, ..Limits::downlevel_defaults() };
        let config = Config::new(Keys::Numbers, 1000, &limits);
        for (offset, len) in [(0, 0), (4, 1), (0, 16_384), (252, 100_003), (4096, 65_536)] {
            let plan = config.plan(BufferRange { offset, len }, &limits).unwrap();
            assert_eq!(plan.passes[0].step, Step::Clear);
            let mut at = offset;
            for pass in &plan.passes[1..] {
                let from = pass.from.unwrap();
                assert!(from.size <= 1 << 16 && from.offset.is_multiple_of(256));
                assert_eq!(from.offset + KEY * u64::from(pass.params.first), at);
                at += KEY * u64::from(pass.params.len);
                assert!(at <= from.offset + from.size);
            }
            assert_eq!(at, offset + KEY * len);
        }
    }

    #[test]
    fn iterations_are_bounded() {
        let limits = Limits {
            max_storage_buffer_binding_size: 1 << 31,
            max_compute_workgroup_storage_size: 1 << 18,
            ..Limits::default()
        };
        let method = Method::Workgroup { copies: 1, slices: 1, merge: false };
        let tuning = Tuning { workgroup_size: 64, max_workgroups: 1, method };
        for (keys, search) in [(Keys::Numbers, 0), (Keys::Ranges { low: 0.0, high: 1.0 }, 16)] {
            let config = Config { keys, bins: 65_536, add: true, tuning };
            let plan = config.plan(BufferRange { offset: 0, len: u64::from(u32::MAX) }, &limits).unwrap();
            for Pass { params, .. } in plan.passes {
                let share = u64::from(params.len).div_ceil(64 * u64::from(params.groups)) + 16;
                let walk = share / 16 + 3 + search * share;
                let clear_and_add = 3 * u64::from(config.tuning.method.slots(config.bins)) / 64;
                assert!(walk + clear_and_add < 32_768, "{walk} + {clear_and_add}");
            }
        }
    }

    #[test]
    fn large_grids_are_folded() {
        let limits = Limits { max_compute_workgroups_per_dimension: 10, ..Limits::default() };
        let mut config = Config::new(Keys::Numbers, 256, &limits);
        config.tuning.max_workgroups = 97;
        let plan = config.plan(BufferRange { offset: 0, len: 1 << 24 }, &limits).unwrap();
        assert_eq!((plan.passes[1].grid, plan.passes[1].params.groups), ([10, 10], 97));
        config.tuning.max_workgroups = 101;
        let error = config.plan(BufferRange { offset: 0, len: 1 << 24 }, &limits).unwrap_err();
        assert_eq!(error, HistogramError::TooManyWorkgroups { needed: 101, limit: 100 });
    }
}
