//! The configuration of a stencil, its checks and its kernel.

use wgpu::{Features, Limits};

use crate::element::Element;
use crate::gpu::error::{Error, FeatureError};
use crate::gpu::kernel::{Access, PARAMETERS, Slot};
use crate::gpu::window;
use crate::gpu::{LimitError, SettingError, limits};
use crate::shader::{self, Composer, Piece, rooms};
use crate::stencil::blocked::{self, Machine};
use crate::stencil::catalogue::{Mapping, Variant};
use crate::stencil::formula;
use crate::stencil::kernels::RHS;
use crate::stencil::shape::{Block, Border, Borders, Grid};
use crate::stencil::stencils::{Dims, Stencil, Weights};
use crate::stencil::strip;
use crate::stencil::tuning::Tuning;

/// The most bytes of a grid on any device, so that positions in it can be added in 64 bits.
const MOST_BYTES: u64 = 1 << 60;

/// The configuration of a stencil: grid, borders, kernel and tuning.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Config {
    /// The stencil.
    pub stencil: &'static Stencil,
    /// The kernel. It must support the stencil.
    pub variant: &'static Variant,
    /// The element type: a float.
    pub element: Element,
    /// The grid.
    pub grid: Grid,
    /// The borders on its sides.
    pub borders: Borders,
    /// The tuning.
    pub tuning: Tuning,
    /// True if all weights are equal, so that the kernel multiplies only once. This is for stencils with a
    /// centre and one class around it. [`Jacobi`](crate::stencil::Jacobi) sets it from the weights.
    pub one_weight: bool,
    /// True: a right-hand side is added, `u' = Σ w·u + f`. Steps then take a third buffer:
    /// [`Grids::with_rhs`](crate::stencil::Grids::with_rhs).
    pub rhs: bool,
    /// True: the kernel's lanes exchange cells by subgroup operations, if the kernel supports this.
    /// [`Jacobi`](crate::stencil::Jacobi) sets it from the device.
    pub subgroups: bool,
    /// The choices that are left to the device.
    pub(super) open: Open,
    /// The kinds of borders that the kernel must know besides those here, as this is a part of a grid with others. All parts are stepped
    /// by one kernel, as two kernels may differ in their last bits.
    pub(super) kinds: Kinds,
    /// The values beyond the sides of the whole grid, by side, where this is a part of it.
    pub(super) constants: [f64; 6],
}

/// The kinds of borders that a kernel knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kinds {
    /// All sides are fixed.
    Fixed,
    /// Fixed, reflect and wrap: the kinds of all kernels.
    Usual,
    /// All, which the general kernels know.
    All,
}

/// The choices of a configuration that are left to the device: see [`Config::on`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    /// None: all choices are made.
    Nothing,
    /// The height of workgroups in launches over a part of the layers.
    Layers,
    /// The tuning of a time-blocked kernel.
    Tuning,
    /// The kernel and its tuning.
    Kernel,
}

impl Config {
    /// Makes a configuration with fixed borders, the variant's default tuning, the stencil's default weights,
    /// and no right-hand side.
    pub fn new(stencil: &'static Stencil, variant: &'static Variant, element: Element, grid: Grid) -> Self {
        let one_weight = !variant.is_blocked() && stencil.is_one_weight(stencil.usual);
        let tuning = Tuning::of(variant);
        Config {
            stencil,
            variant,
            element,
            grid,
            borders: Borders::default(),
            tuning,
            one_weight,
            rhs: false,
            subgroups: false,
            open: if variant.is_blocked() { Open::Tuning } else { Open::Nothing },
            kinds: Kinds::Fixed,
            constants: [0.0; 6],
        }
    }

    /// Makes a configuration that takes the kernel expected to be the fastest on the device that runs it.
    pub fn fastest(stencil: &'static Stencil, element: Element, grid: Grid) -> Self {
        Config { open: Open::Kernel, ..Config::new(stencil, stencil.fastest(), element, grid) }
    }

    /// The same with other borders. A kernel that is still open is the general one, if the borders are of a kind that only it knows.
    pub fn with_borders(self, borders: Borders) -> Self {
        let config = Config { borders, ..self };
        if config.open == Open::Kernel && config.kinds() == Kinds::All {
            let variant = config.stencil.general();
            return Config { variant, tuning: Tuning::of(variant), open: Open::Nothing, ..config };
        }
        config
    }

    /// Returns this configuration with another tuning.
    pub const fn with_tuning(self, tuning: Tuning) -> Self {
        Config { tuning, open: Open::Nothing, ..self }
    }

    /// Returns this configuration with another block.
    pub const fn with_block(self, block: Block) -> Self {
        self.with_tuning(self.tuning.with_block(block))
    }

    /// Returns this configuration as a device runs it. It makes the choices that are still open: the kernel
    /// of [`Config::fastest`], and the tuning of a time-blocked kernel unless you have set it.
    /// [`Jacobi`](crate::stencil::Jacobi) calls this itself. Change a chosen tuning by [`Config::with_tuning`]: launches over a slab may choose the rows or planes of
    /// a workgroup anew otherwise.
    pub fn on(self, device: &wgpu::Device) -> Self {
        self.choose(&self.machine(device), &[])
    }

    /// Returns this configuration with the kernel of another one, such as [`Config::on`] chooses, if the kernel is still open. The kernel's
    /// tuning is left to each device. So several devices step parts of one grid by one kernel: the bits are one kernel's.
    pub fn with_kernel_of(self, chosen: &Config) -> Self {
        if self.open != Open::Kernel {
            return self;
        }
        let variant = chosen.variant;
        let open = if variant.is_blocked() { Open::Tuning } else { Open::Nothing };
        Config { variant, tuning: Tuning::of(variant), open, ..self }
    }

    /// The same by measured times of this device: the samples of a calibration, which times [`Config::trials`], each with nanoseconds a step. Where no
    /// sample is of this stencil and this type, it is [`Config::on`].
    pub fn on_calibrated(self, device: &wgpu::Device, samples: &[(Self, f64)]) -> Self {
        self.choose(&self.machine(device), samples)
    }

    /// The configurations to time for a calibration on a device, over these grids: single steps, and all shapes of a
    /// time-blocked kernel that this device is offered.
    pub fn trials(&self, device: &wgpu::Device, grids: &[Grid]) -> Vec<Config> {
        let trials = blocked::trials(self, &self.machine(device), grids);
        trials.into_iter().map(|trial| Config { open: Open::Nothing, ..trial }).collect()
    }

    /// Returns this configuration with the height of workgroups for a launch that writes this many layers.
    pub(super) fn fitted(&self, machine: &Machine, layers: u32) -> Self {
        if self.open == Open::Layers { blocked::fit(self, machine, layers) } else { *self }
    }

    pub(super) fn machine(&self, device: &wgpu::Device) -> Machine {
        Machine::of(&device.adapter_info(), device.features(), device.limits(), self.element)
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

    /// Returns this configuration for these weights.
    pub(super) fn weighed(self, weights: Weights) -> Self {
        // A time-blocked kernel has fixed operations, which do not depend on the weights.
        let one_weight = !self.variant.is_blocked() && self.stencil.is_one_weight(weights);
        Config { one_weight, ..self }
    }

    /// The same with a right-hand side.
    pub const fn with_rhs(self) -> Self {
        Config { rhs: true, ..self }
    }

    /// Bytes of one buffer.
    pub fn bytes(&self) -> u64 {
        self.grid.cells().saturating_mul(self.element.size())
    }

    /// Bytes that a step must move per cell: one read, one write, and one read of the right-hand side if
    /// there is one.
    pub fn bytes_moved(&self) -> u64 {
        (2 + u64::from(self.rhs)) * self.element.size()
    }

    /// Floating-point operations per cell, as the thesis counts them: 5 and 30 for its stencils.
    pub fn flops(&self) -> u32 {
        let products = if self.one_weight { 1 } else { self.stencil.classes.len() as u32 };
        self.stencil.points() - 1 + products + u32::from(self.rhs)
    }

    /// The number of neighbouring cells that one invocation of a strip computes.
    pub(super) fn lanes(&self) -> u32 {
        let packs = match self.variant.mapping {
            Mapping::Strips => true,
            Mapping::Pipeline => self.tuning.cells_per_lane.is_multiple_of(4),
            _ => false,
        };
        if packs && self.grid.cols.is_multiple_of(4) { 4 } else { 1 }
    }

    /// The rows and columns of cells that one block computes.
    pub(super) fn coverage(&self) -> (u32, u32) {
        let Tuning { block: Block { rows, cols }, rows_per_invocation, strip, .. } = self.tuning;
        match (self.variant.mapping, self.variant.dims()) {
            // The blocks of a time-blocked kernel depend on the steps of a pass: see `blocked`.
            (Mapping::Cells | Mapping::Direct | Mapping::Pipeline, _) => (rows, cols),
            (Mapping::Overlapped, _) => (rows - 2, cols - 2),
            (Mapping::Strips, Dims::Two) => (rows * rows_per_invocation, cols * self.lanes()),
            (Mapping::Strips, Dims::Three) => (rows * strip, cols * self.lanes()),
        }
    }

    /// Checks everything against a device's features and limits.
    ///
    /// # Errors
    ///
    /// The error names the limit or the feature that is missing.
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
        if !self.borders.are_consistent() {
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
        LimitError::unless("max_buffer_size", limits.max_buffer_size, self.bytes())
            .map_err(|error| error.or("use a smaller grid, or slabs of it"))?;
        if self.bytes() > MOST_BYTES {
            let allowed = format!("at most {MOST_BYTES}: use slabs of the {grid} grid");
            return Err(SettingError::new("Config::bytes", self.bytes(), allowed).into());
        }
        window::check(self.bytes(), limits)?;
        self.check_cut(limits)
    }

    /// The bytes of workgroup memory of its kernel.
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
        let smallest = self.variant.smallest_side();
        for (name, side) in [("block.rows", rows), ("block.cols", cols)] {
            SettingError::unless(name, side, smallest..=u32::MAX)?;
        }
        let memory = limits.max_compute_workgroup_storage_size;
        limits::check_workgroup([cols, rows], limits)
            .and_then(|()| {
                LimitError::unless("max_compute_workgroup_storage_size", memory, self.workgroup_bytes())
            })
            .map_err(|error| error.or("use a smaller block").into())
    }

    /// The kinds of borders that the kernel must know.
    pub(super) fn kinds(&self) -> Kinds {
        let sides = self.borders.pairs().into_iter().take(self.stencil.dims.count());
        let kinds = sides.flat_map(|(low, high)| [low, high]).map(|side| match side {
            Border::Fixed => Kinds::Fixed,
            Border::Reflect | Border::Wrap => Kinds::Usual,
            Border::Mirror | Border::Constant(_) => Kinds::All,
        });
        kinds.fold(self.kinds, Kinds::max)
    }

    /// The values beyond the sides, by side.
    pub(super) fn constants(&self) -> [f64; 6] {
        let mut constants = self.constants;
        let sides = self.borders.pairs().into_iter().flat_map(|(low, high)| [low, high]);
        for (constant, side) in constants.iter_mut().zip(sides) {
            if let Border::Constant(value) = side {
                *constant = value;
            }
        }
        constants
    }

    /// Returns true if the kernel knows fixed borders only.
    pub(super) fn is_for_fixed_borders(&self) -> bool {
        self.kinds() == Kinds::Fixed
    }

    /// Composes the kernel's WGSL: the kernel first, then everything that it imports. The block is in the
    /// overrides `ROWS` and `COLS`.
    pub fn compose(&self) -> String {
        let composer = Composer::of(&[rooms::STENCIL, rooms::SHARED]);
        let composer = if self.variant.is_blocked() { blocked::pieces(self, composer) } else { composer };
        let (four, equal) = (self.lanes() == 4, self.one_weight);
        formula::pieces(self, composer)
            .define("fixed_borders", self.is_for_fixed_borders())
            .define("rhs", self.rhs)
            .provide("element", element(self.element))
            .provide("strip", strip::strip(self.tuning.strip))
            .choose("star5", if equal { "stencil/stars/five_one_weight" } else { "stencil/stars/five" })
            .choose("star7", if equal { "stencil/stars/seven_one_weight" } else { "stencil/stars/seven" })
            .choose("tile", self.tile_file())
            .choose(
                "outputs",
                if self.variant.shares_sums { "stencil/outputs/common_sums" } else { "stencil/outputs/each" },
            )
            .choose("sums", if self.stencil.is_star() { "stencil/sums/star7" } else { "stencil/sums/box27" })
            .choose("cells", if four { "stencil/lanes/four" } else { "stencil/shared/cells" })
            .choose("lanes", if four { "stencil/lanes/four" } else { "stencil/lanes/one" })
            .choose("ends", if four { "stencil/lanes/four_ends" } else { "stencil/lanes/one_ends" })
            .compose(self.variant.file, extensions(self.element))
    }

    /// The file with the kernel's tile in workgroup memory.
    fn tile_file(&self) -> &'static str {
        match (self.variant.mapping, self.variant.dims()) {
            (Mapping::Overlapped, Dims::Two) => "stencil/shared/overlapped2d",
            (Mapping::Overlapped, Dims::Three) => "stencil/shared/overlapped3d",
            (_, Dims::Two) => "stencil/shared/direct2d",
            (_, Dims::Three) => "stencil/shared/direct3d",
        }
    }

    /// Returns the label of the kernel's module and pipeline.
    pub fn label(&self) -> String {
        shader::label(&["stencil", self.variant.name])
    }

    /// The bindings of group 0 that the kernel declares.
    pub(super) fn slots(&self) -> &'static [Slot] {
        const SLOTS: [Slot; 5] = [
            (0, Access::Read),
            (1, Access::Write),
            (PARAMETERS, Access::Uniform),
            (3, Access::Read),
            (RHS, Access::Read),
        ];
        if self.rhs { &SLOTS } else { &SLOTS[..4] }
    }

    /// The pipeline overrides of the kernel.
    pub fn overrides(&self) -> Vec<(&'static str, f64)> {
        let Tuning { block, rows_per_invocation, .. } = self.tuning;
        let mut overrides = vec![("ROWS", f64::from(block.rows)), ("COLS", f64::from(block.cols))];
        if self.variant.has_tile() && self.variant.dims() == Dims::Three {
            overrides.push(("UNROLL", f64::from(self.variant.unroll)));
        }
        if self.variant.mapping == Mapping::Strips && self.variant.dims() == Dims::Two {
            overrides.push(("ROWS_PER_INVOCATION", f64::from(rows_per_invocation)));
        }
        overrides
    }
}

/// The extensions that a module over an element type must enable.
pub(super) fn extensions(element: Element) -> &'static [&'static str] {
    if element == Element::F16 { &["f16"] } else { &[] }
}

/// The alias by which kernels refer to the element type.
pub(super) fn element(element: Element) -> Vec<Piece> {
    vec![Piece::new("generated: the element type", format!("alias Elem = {element};"))]
}
