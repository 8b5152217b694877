//! Plans: from a config, a length and limits to a list of dispatches. Planning is pure and needs no GPU.

use wgpu::Limits;

use crate::element::ordered;
use crate::gpu::error::Error;
use crate::gpu::limits::LimitError;
use crate::gpu::operation::Base;
use crate::gpu::params::parameters;
use crate::gpu::range::BufferRange;
use crate::gpu::window::Window;
use crate::gpu::{Pass, grid, input};
use crate::histogram::config::Histogram;
use crate::histogram::keys::Keys;
use crate::histogram::tuning::Tuning;

/// Keys per invocation before another workgroup is added: four vectors of four.
const PER_INVOCATION: u64 = 16;

/// The most iterations in which a plan lets one invocation read keys: sixteen in a row, or those of four elements, each time.
///
/// Together with those that clear the largest workgroup memory and add it up, they stay below 32 768. Some drivers end loops after
/// 65 535: see `MAX_ITERATIONS` of reductions.
const MOST_ITERATIONS: u64 = 16_384;

/// The most floats a plan gives one invocation. Finding the bin of a float may take a search of 16 iterations.
const MOST_FLOATS_PER_INVOCATION: u64 = 1536;

/// The remedy for too many workgroups.
const SPLIT: &str = "split the input and add the second part's counts";

/// The step of a plan that sets all counts to zero.
pub const CLEAR: &str = "clear";

/// The step of a plan that counts keys.
pub const COUNT: &str = "count";

parameters! {
    /// `Params` of `shaders/histogram/shared/io.wgsl`.
    pub(super) struct Params {
        first: u32,
        len: u32,
        groups: u32,
        grid_row: u32,
        low: u32,
        span: u32,
        origin: f32,
        scale: f32,
        fraction: u32,
        places: u32,
        unsure: u32,
        index: u32,
        stride: u32,
    }
}

impl Histogram {
    /// The dispatches over the elements of a range of a buffer.
    pub(super) fn passes(&self, input: BufferRange, limits: &Limits) -> Result<Vec<Pass>, Error> {
        self.check(limits)?;
        let stride = (self.stride, self.first);
        let windows = input::windows(input, self.item(), stride, limits)?;
        let mut passes = Vec::new();
        if !self.add {
            let groups = self.counters().div_ceil(self.tuning_on(limits).workgroup_size);
            let grid = grid::of(groups.into(), limits, SPLIT)?;
            passes.push(Pass::new(CLEAR, grid, Params { grid_row: grid[0], ..Params::default() }));
        }
        let range = self.range();
        for window in windows {
            passes.push(self.count(window, range, limits)?);
        }
        Ok(passes)
    }

    /// The dispatch over one window.
    fn count(&self, window: Window, range: Params, limits: &Limits) -> Result<Pass, LimitError> {
        let Window { start, first, len, index, .. } = window;
        // A texture is bound as a whole.
        let before = if self.sample().is_some() { (start / self.item()) as u32 } else { 0 };
        let tuning = self.tuning_on(limits);
        let groups = self.groups(u64::from(len) * u64::from(self.channels), tuning);
        let grid = grid::of(groups * u64::from(tuning.method.slices()), limits, SPLIT)?;
        let params = Params {
            first: before + first,
            len,
            groups: groups as u32,
            grid_row: grid[0],
            index,
            stride: self.stride,
            ..range
        };
        Ok(Pass::new(COUNT, grid, params).reading(window.bytes()))
    }

    /// The number of workgroups that share `len` keys, for each slice of the bins.
    fn groups(&self, len: u64, tuning: Tuning) -> u64 {
        let workgroup_size = u64::from(tuning.workgroup_size);
        // A workgroup clears its counters and adds them up. That does not pay with fewer keys than counters.
        let slots = tuning.method.slots(self.counters());
        let worthwhile = (PER_INVOCATION * workgroup_size).max(slots.into());
        let most = (tuning.max_workgroups / tuning.method.slices()).max(1);
        let bound = match (&self.keys, self.by_element()) {
            (Keys::Numbers, false) => 16 * MOST_ITERATIONS,
            (Keys::Numbers, true) => 4 * MOST_ITERATIONS,
            _ => MOST_FLOATS_PER_INVOCATION,
        };
        let least = len.div_ceil(bound * workgroup_size);
        len.div_ceil(worthwhile).min(u64::from(most)).max(least)
    }

    /// The parameters that describe the range of keys.
    fn range(&self) -> Params {
        let (low, high) = match &self.keys {
            Keys::Numbers | Keys::U64Levels(_) => return Params::default(),
            Keys::U32Levels(levels) => {
                let span = levels[levels.len() - 1] - levels[0];
                return Params { low: levels[0], span, ..self.keys.even().unwrap_or_default() };
            }
            Keys::Ranges { low, high } => (*low, *high),
            Keys::Levels(levels) => (levels[0], levels[levels.len() - 1]),
        };
        Params {
            low: ordered(low),
            span: ordered(high) - ordered(low),
            ..places(low.into(), (f64::from(high) - f64::from(low)) / f64::from(self.bins), self.bins, 0.0)
        }
    }
}

impl Keys {
    /// The places of integers between levels that lie at equal distances, up to one; `None` if they do not, or lie close together.
    pub(super) fn even(&self) -> Option<Params> {
        let Keys::U32Levels(levels) = self else { return None };
        let [low, high] = [levels[0], levels[levels.len() - 1]].map(f64::from);
        let step = (high - low) / (levels.len() - 1) as f64;
        let is_even = |(i, level): (usize, &u32)| (low + i as f64 * step - f64::from(*level)).abs() <= 1.0;
        let is_even = step >= 64.0 && levels.iter().enumerate().all(is_even);
        is_even.then(|| places(0.0, step, (levels.len() - 1) as u32, 1.0))
    }
}

/// The places of numbers in bins of a width, of which the first begins at `low`. Borders are up to `error` beside equal distances.
fn places(low: f64, step: f64, bins: u32, error: f64) -> Params {
    // Places are the last bits of floats from 2^23 to 2^24, whose units are 1.
    let fraction = 23 - bins.next_power_of_two().ilog2();
    let whole = 1u32 << fraction;
    let scale = f64::from(whole) / step;
    let origin = f64::from(1 << 23);
    // The number, the scale, the origin, the product and a border are each rounded by 2^-23 of themselves, and the sum by a unit: WGSL lets a GPU
    // round either way.
    let largest = low.abs().max((low + f64::from(bins) * step).abs()) * scale;
    let margin = (1.0 + (-23f64).exp2() * (5.0 * largest + origin) + error * scale).ceil();
    // Denormal numbers may be flushed. No bin is sure then, as all places between its borders are within a margin.
    let is_bounded = step > (-100f64).exp2() && scale < f32::MAX.into() && 2.0 * margin < whole.into();
    let margin = if is_bounded { margin } else { f64::from(whole / 2) };
    let unsure = 2 * margin as u32;
    let places = if is_bounded { (bins << fraction) + unsure } else { u32::MAX };
    let (scale, origin) = (scale.min(f32::MAX.into()) as f32, (origin + margin - low * scale) as f32);
    Params { origin, scale, fraction, places, unsure, ..Params::default() }
}
