//! Fits a configuration to a device: makes its open choices and checks its limits.

use wgpu::{Features, Limits};

use crate::gpu::error::{Error, FeatureError};
use crate::gpu::limits::{self, SettingError, needs};
use crate::gpu::window;
use crate::stencil::blocked::{self, Machine};
use crate::stencil::catalogue::Mapping;
use crate::stencil::config::{Config, Kinds, Open};
use crate::stencil::shape::{Block, Border, Grid};
use crate::stencil::stencils::Dims;

/// The most bytes of a grid on any device. Kernels add positions in 64 bits.
const MOST_BYTES: u64 = 1 << 60;

impl Config {
    /// Returns this configuration as a device runs it. Makes the choices that are still open: the kernel of [`Config::fastest`], and the tuning of a
    /// time-blocked kernel unless you have set it. [`Jacobi`](crate::stencil::Jacobi) calls this itself. Change a chosen tuning by
    /// [`Config::with_tuning`]; otherwise dispatches over a slab may choose the layers of a workgroup again.
    pub fn on(self, device: &wgpu::Device) -> Self {
        self.choose(&self.machine(device), &[])
    }

    /// Like [`Config::on`], but chooses by measured times of this device. `samples` are [`Config::trials`], each with nanoseconds per step.
    /// Without a sample of this stencil and type, it is [`Config::on`].
    pub fn on_calibrated(self, device: &wgpu::Device, samples: &[(Self, f64)]) -> Self {
        self.choose(&self.machine(device), samples)
    }

    /// Returns the configurations to time for a calibration of a device over these grids: single steps, and all shapes of a
    /// time-blocked kernel that the device may take.
    pub fn trials(&self, device: &wgpu::Device, grids: &[Grid]) -> Vec<Config> {
        let config = Config { open: Open::Nothing, ..*self };
        blocked::trials(&config, &self.machine(device), grids)
    }

    /// Returns this configuration with the height of workgroups for a dispatch that writes `layers` layers.
    pub(super) fn fitted(&self, machine: &Machine, layers: u32) -> Self {
        if self.open == Open::Layers { blocked::fit(self, machine, layers) } else { *self }
    }

    pub(super) fn machine(&self, device: &wgpu::Device) -> Machine {
        Machine::of(device, self.element)
    }

    pub(super) fn choose(self, machine: &Machine, samples: &[(Self, f64)]) -> Self {
        let all = self.open == Open::Kernel;
        let sampled = || Some((blocked::choose_by(samples, &self, machine, all)?, Open::Nothing));
        let (chosen, open) = match self.open {
            Open::Nothing | Open::Layers => (self, self.open),
            _ => sampled().unwrap_or_else(|| (blocked::choose(&self, machine, all), Open::Layers)),
        };
        let subgroups = chosen.variant.is_blocked() && machine.shuffles(chosen.tuning.block.cols);
        Config { subgroups, open, ..chosen }
    }

    /// Checks the configuration against a device's features and limits.
    ///
    /// # Errors
    ///
    /// The error names the missing limit or feature.
    pub fn check(&self, features: Features, limits: &Limits) -> Result<(), Error> {
        let Config { stencil, variant, element, grid, .. } = *self;
        if !element.is_float() {
            let message = format!("a grid of {element}: stencils work on f32, f64 and f16");
            return Err(Error::setting("element", message));
        }
        let missing = element.feature() - features;
        if !missing.is_empty() {
            return Err(FeatureError { what: format!("a grid of {element}"), features: missing }.into());
        }
        if !variant.serves(stencil) {
            let remedy = "`Stencil::variants` lists its kernels";
            let message =
                format!("`{}` is not a kernel of the {} stencil: {remedy}", variant.name, stencil.name);
            return Err(Error::setting("variant", message));
        }
        if grid.cells() == 0 || (stencil.dims == Dims::Two && grid.planes != 1) {
            let needs =
                format!("it must have {} dimensions, each of at least one cell", stencil.dims.count());
            let message = format!("a grid of {grid} for the {} stencil: {needs}", stencil.name);
            return Err(Error::setting("grid", message));
        }
        if self.kinds() == Kinds::All && !variant.is_general() {
            let remedy = "the kernel direct-global knows mirror and constant, too: use it, or name no kernel";
            let message = format!("`{}` knows the borders fixed, reflect and wrap; {remedy}", variant.name);
            return Err(Error::setting("borders", message));
        }
        if self.borders.pairs().iter().any(|(low, high)| (*low == Border::Wrap) != (*high == Border::Wrap)) {
            let message = "a direction must be periodic on both sides or on none";
            return Err(Error::setting("borders", message));
        }
        self.tuning.check()?;
        limits::check(self.slots(), limits)?;
        let (variant, block) = (variant.name, self.tuning.block);
        self.check_block(limits)
            .map_err(|error| error.within(&format!("`{variant}` in blocks of {block}")))?;
        if self.variant.is_blocked() {
            blocked::check(self)?;
        }
        needs!(limits, max_buffer_size, self.bytes())
            .map_err(|error| error.or("use a smaller grid, or slabs of it"))?;
        if self.bytes() > MOST_BYTES {
            let allowed = format!("at most {MOST_BYTES}: use slabs of the {grid} grid");
            return Err(SettingError::new("Config::bytes", self.bytes(), allowed).into());
        }
        window::check(self.bytes(), limits)?;
        self.check_cut(limits)
    }

    /// Returns the bytes of workgroup memory of the kernel.
    pub fn workgroup_bytes(&self) -> u64 {
        let cells = match self.variant.mapping {
            Mapping::Pipeline => blocked::workgroup_cells(self),
            _ => self.variant.tile(self.tuning.block),
        };
        cells * self.element.size()
    }

    /// Checks the workgroup's shape and memory.
    fn check_block(&self, limits: &Limits) -> Result<(), Error> {
        let Block { rows, cols } = self.tuning.block;
        let smallest = match self.variant.mapping {
            Mapping::Overlapped => 3,
            Mapping::Direct => 2,
            Mapping::Cells | Mapping::Strips | Mapping::Pipeline => 1,
        };
        for (name, side) in [("block.rows", rows), ("block.cols", cols)] {
            SettingError::unless(name, side, smallest..=u32::MAX)?;
        }
        limits::check_workgroup([cols, rows], limits)
            .and_then(|()| needs!(limits, max_compute_workgroup_storage_size, self.workgroup_bytes()))
            .map_err(|error| error.or("use a smaller block").into())
    }
}
