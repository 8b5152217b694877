//! Describes a histogram and its kernels.

use wgpu::Limits;

use crate::gpu::error::Error;
use crate::gpu::kernel::{Access, PARAMETERS, Slot};
use crate::gpu::limits::{self, LimitError};
use crate::gpu::operation::Base;
use crate::histogram::keys::Keys;
use crate::histogram::plan::COUNT;
use crate::histogram::tuning::{Method, Tuning};
use crate::map::Map;
use crate::shader::{Composer, rooms};

/// The binding with the borders of the bins as keys.
pub(super) const TABLE: u32 = 5;

/// A histogram's description. [`Compiled`](crate::Compiled) creates it on a device. The module's page has [an example](crate::histogram).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Histogram {
    /// The keys.
    pub keys: Keys,
    /// Bins per channel: 1 to 65 536 for all channels together.
    pub bins: u32,
    /// The number of channels, 1 to 16. An element has one key per channel, counted in that channel's bins.
    pub channels: u32,
    /// Distance between counted elements.
    pub stride: u32,
    /// Index of the first counted element.
    pub first: u32,
    /// The map from an element to its keys; `None` if elements are keys.
    pub map: Option<Map>,
    /// True if counts are added, modulo 2^32, to the output. You then clear the output yourself, and one dispatch less is
    /// recorded. Otherwise each run clears the output first.
    pub add: bool,
    /// Settings for speed; `None` for the defaults for long inputs on the device. Counts do not depend on them.
    pub tuning: Option<Tuning>,
    /// True if keys are counted in storage, for a device that miscounts in workgroup memory.
    pub(super) in_storage: bool,
}

impl Histogram {
    /// Makes a histogram that clears its output first, tuned for long inputs. For fewer than 2^20 keys, use
    /// [`Tuning::of`] with their number: it spreads them over more cores.
    pub fn new(keys: Keys, bins: u32) -> Self {
        Histogram {
            keys,
            bins,
            channels: 1,
            stride: 1,
            first: 0,
            map: None,
            add: false,
            tuning: None,
            in_storage: false,
        }
    }

    /// Returns this histogram for elements with several keys, one after the other.
    pub fn with_channels(self, channels: u32) -> Self {
        Histogram { channels, ..self }
    }

    /// Returns this histogram over every `stride`-th element, starting with `first`.
    pub fn with_stride(self, stride: u32, first: u32) -> Self {
        Histogram { stride, first, ..self }
    }

    /// Returns this histogram over the keys and channels that a map computes from elements.
    pub fn with_map(self, map: Map) -> Self {
        let channels = self.channels_of(&map);
        Histogram { map: Some(map), channels, ..self }
    }

    /// Returns this histogram with counts added to the output: see [`Histogram::add`].
    pub fn adding(self) -> Self {
        Histogram { add: true, ..self }
    }

    /// Returns this histogram with another tuning.
    pub fn with_tuning(self, tuning: Tuning) -> Self {
        Histogram { tuning: Some(tuning), ..self }
    }

    /// Returns the tuning on a device with these limits.
    pub fn tuning_on(&self, limits: &Limits) -> Tuning {
        let tuning = self.tuning.unwrap_or_else(|| Tuning::of(limits, self.counters(), u64::MAX));
        if self.in_storage { tuning.with_method(Method::Storage) } else { tuning }
    }

    /// Checks the histogram against a device's limits.
    ///
    /// # Errors
    ///
    /// The keys, a number or the tuning are invalid, or the device does not support them.
    pub fn check(&self, limits: &Limits) -> Result<(), Error> {
        self.check_settings()?;
        limits::check(&self.slots(COUNT), limits)?;
        self.tuning_on(limits).check(self.counters(), limits)?;
        let table = match self.keys {
            Keys::Numbers => 0,
            Keys::U64Levels(_) => 8 * (u64::from(self.bins) + 1),
            _ => 8 * u64::from(self.bins),
        };
        LimitError::unless_bound(limits, self.output().max(table))
            .map_err(|error| error.or("use fewer bins"))?;
        Ok(())
    }

    /// Returns the size of the output: four bytes per bin, channel after channel.
    pub fn output(&self) -> u64 {
        4 * u64::from(self.counters())
    }

    /// Returns the number of bins of all channels.
    pub(super) fn counters(&self) -> u32 {
        self.bins.saturating_mul(self.channels)
    }

    /// Returns the number of keys per element. A key may take two words.
    pub(super) fn channels_of(&self, map: &Map) -> u32 {
        (map.channels() / self.keys.wgsl().1).max(1)
    }

    /// Returns true if elements are read one by one, because they are not consecutive keys.
    pub(super) fn by_element(&self) -> bool {
        self.map.is_some() || self.channels > 1 || self.stride > 1 || self.keys.wgsl().1 > 1
    }

    /// Composes the WGSL of a kernel.
    pub(super) fn compose(&self, file: &str) -> String {
        let bins = match self.keys {
            Keys::Numbers => "numbers",
            Keys::Ranges { .. } => "ranges",
            Keys::U32Levels(_) if self.keys.even().is_some() => "ranges",
            Keys::Levels(_) | Keys::U32Levels(_) => "levels",
            Keys::U64Levels(_) => "u64_levels",
        };
        let by_element = self.by_element();
        Composer::of(&[rooms::HISTOGRAM, rooms::SHARED])
            .define("strided", by_element)
            .define("texels", self.sample().is_some())
            .define("float", self.keys.wgsl().0 == "f32")
            .provide("texel", self.map.as_ref().map_or_else(Vec::new, |map| map.of_texels(None)))
            .supply("io", "histogram/shared/io")
            .choose("histogram/bins", bins)
            .choose("histogram/walk", if by_element { "elements" } else { "words" })
            .provide("map", Map::visit(self.map.as_ref(), self.channels, self.keys.wgsl().0))
            .compose(file, self.map.as_ref().map_or(&[], Map::extensions))
    }

    /// Returns the overrides of a step.
    pub(super) fn overrides(&self, step: &str, tuning: Tuning) -> Vec<(&'static str, f64)> {
        let counters = self.counters();
        let mut overrides = vec![("WG", tuning.workgroup_size), ("COUNTERS", counters), ("BINS", self.bins)];
        if let (COUNT, Method::Workgroup { copies, slices, merge }) = (step, tuning.method) {
            overrides.extend([("COPIES", copies), ("SLICES", slices)]);
            overrides.extend((!self.by_element()).then_some(("MERGE", merge.into())));
            let slots = tuning.method.slots(counters);
            overrides.extend([("SLICE_BINS", counters.div_ceil(slices.max(1))), ("SLOTS", slots)]);
        }
        overrides.into_iter().map(|(name, value)| (name, value.into())).collect()
    }

    /// Returns the bindings of group 0 that a step declares.
    pub(super) fn slots(&self, step: &str) -> Vec<Slot> {
        let mut slots = vec![(1, Access::Write), (PARAMETERS, Access::Uniform)];
        if step == COUNT {
            let needs =
                [(0, self.sample().is_none()), (3, !self.by_element()), (TABLE, self.keys != Keys::Numbers)];
            slots.extend(needs.iter().filter(|(_, needed)| *needed).map(|(slot, _)| (*slot, Access::Read)));
            slots.extend(self.map.iter().flat_map(Map::slots));
        }
        slots
    }
}
