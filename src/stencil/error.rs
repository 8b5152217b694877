//! Errors of stencils.

use crate::adapter::feature_names;
use crate::element::Element;
use crate::operation::{LimitError, SettingError, grid};
use crate::read::ReadError;
use crate::reduce::ReduceError;
use crate::stencil::shape::{Block, Grid};

/// Errors of a stencil that cannot be stepped. Each message names the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StencilError {
    /// Cells must be floats.
    #[error("a grid of {0}: stencils work on f32, f64 and f16")]
    NoFloat(Element),
    /// The device lacks the element type.
    #[error("a grid of {element} needs {}, which this device lacks or was created without", feature_names(*feature))]
    MissingFeature {
        /// The element type.
        element: Element,
        /// The feature.
        feature: wgpu::Features,
    },
    /// Cells were requested as a type of another width.
    #[error("cells of {element} as a type of {asked} bytes: use a type of {}", element.size())]
    CellType {
        /// The element type.
        element: Element,
        /// Bytes of the type.
        asked: usize,
    },
    /// The cells did not reach the host.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A kernel that was written for another stencil.
    #[error("`{variant}` is not a kernel of the {stencil} stencil: `Stencil::variants` lists its kernels")]
    NotServed {
        /// The variant.
        variant: &'static str,
        /// The stencil.
        stencil: &'static str,
    },
    /// An empty grid, or one with the wrong number of dimensions.
    #[error(
        "a grid of {grid} for the {stencil} stencil: it must have {dims} dimensions, each of at least one cell"
    )]
    Grid {
        /// The grid.
        grid: Grid,
        /// The stencil.
        stencil: &'static str,
        /// Its dimensions.
        dims: usize,
    },
    /// A field of a [`Tuning`](crate::stencil::Tuning) that is out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// Borders of a kind that the kernel does not know.
    #[error(
        "`{variant}` knows the borders fixed, reflect and wrap; the kernel direct-global knows mirror and constant, too: take it or leave the \
         kernel open, as Config::fastest does"
    )]
    BorderKind {
        /// The variant.
        variant: &'static str,
    },
    /// A direction that is periodic on one side only.
    #[error("a direction must be periodic on both sides or on none")]
    HalfPeriodic,
    /// A block too small for its variant.
    #[error("`{variant}` in blocks of {block}: rows and columns must be at least {smallest}")]
    BlockTooSmall {
        /// The variant.
        variant: &'static str,
        /// The block.
        block: Block,
        /// The smallest side.
        smallest: u32,
    },
    /// A block too large for the device.
    #[error(
        "a block of {block}: this device allows {limit} invocations (max_compute_invocations_per_workgroup), and fewer per side \
         (max_compute_workgroup_size_x, max_compute_workgroup_size_y): use a smaller block"
    )]
    BlockTooLarge {
        /// The block.
        block: Block,
        /// Invocations the device allows.
        limit: u32,
    },
    /// A tile too large for the device.
    #[error(
        "`{variant}` in blocks of {block} needs {needed} bytes of workgroup memory, this device allows {limit} \
         (max_compute_workgroup_storage_size): use a smaller block"
    )]
    WorkgroupMemory {
        /// The variant.
        variant: &'static str,
        /// The block.
        block: Block,
        /// Bytes it needs.
        needed: u64,
        /// Bytes the device allows.
        limit: u32,
    },
    /// A grid too large for one buffer.
    #[error(
        "a grid of {grid} takes {needed} bytes: a buffer of this device has at most {limit} (max_buffer_size)"
    )]
    GridTooLarge {
        /// The grid.
        grid: Grid,
        /// Bytes it takes.
        needed: u64,
        /// Bytes of the largest buffer.
        limit: u64,
    },
    /// A grid that must be cut into windows, but a binding holds too few of its rows or planes.
    #[error(
        "a grid of {grid} does not fit one binding, and {least} of its outermost layers (rows in 2D, planes in 3D), which \
         take {needed} bytes, do not either: this device binds {limit} at once (max_storage_buffer_binding_size); make \
         the outermost dimension the longest"
    )]
    LayersTooLarge {
        /// The grid.
        grid: Grid,
        /// The fewest layers that a binding must hold.
        least: u32,
        /// Bytes they take.
        needed: u64,
        /// Bytes the device binds.
        limit: u64,
    },
    /// More workgroups than one dispatch can have.
    #[error(
        "{needed} workgroups: this device allows {limit} in two dimensions (max_compute_workgroups_per_dimension); use a larger block"
    )]
    TooManyWorkgroups {
        /// Workgroups needed.
        needed: u64,
        /// Workgroups that two dimensions hold.
        limit: u64,
    },
    /// A buffer that is too short or lacks a usage.
    #[error("the {role} buffer needs {usage:?} and {needed} bytes, it has {size}")]
    Buffer {
        /// The purpose of the buffer.
        role: &'static str,
        /// The usage it needs.
        usage: wgpu::BufferUsages,
        /// Bytes it needs.
        needed: u64,
        /// Bytes it has.
        size: u64,
    },
    /// A slab of layers that the grid does not have.
    #[error("a slab of the layers {first}..{end}: the grid has {layers} (rows in 2D, planes in 3D)")]
    SlabLayers {
        /// Its first layer.
        first: u32,
        /// One past its last layer.
        end: u32,
        /// Layers of the grid.
        layers: u32,
    },
    /// A halo that the neighbours of a slab cannot fill.
    #[error(
        "slabs of {layers} layers with halos of {halo}: a halo has a layer for each cell that a round's steps reach, and at most as many as \
         each slab has of its own; \
         exchange more often or cut the grid into fewer slabs"
    )]
    SlabHalo {
        /// Layers of the halo.
        halo: u32,
        /// The slab's own layers.
        layers: u32,
    },
    /// A slab of 16-bit floats that is no whole number of words.
    #[error(
        "a slab of {layers} layers with halos of {halo}, of f16: faces are copied in words of two cells; use an even number of columns, \
         or slabs and halos of an even number of layers"
    )]
    SlabWords {
        /// Layers of the halo.
        halo: u32,
        /// The slab's own layers.
        layers: u32,
    },
    /// A slab of another grid.
    #[error(
        "the slab is one of another grid: make the stencil with the configuration of a slab of this grid"
    )]
    OtherGrid,
    /// A round of no steps, or of more than the halo has layers for.
    #[error("a round of {steps} steps: 1 to {most} can be made between two exchanges")]
    RoundSteps {
        /// The steps.
        steps: u32,
        /// Steps for which the halo is enough.
        most: u32,
    },
    /// Two grids in one buffer.
    #[error("two of the grids are one buffer: a step cannot read and write it at once")]
    Aliased,
    /// A right-hand side is given and the kernel adds none, or the kernel adds one and none is given.
    #[error(
        "the kernel {} a right-hand side: `Config::with_rhs` and `Grids::with_rhs` go together",
        if *needed { "adds" } else { "does not add" }
    )]
    RightHandSide {
        /// True if the kernel adds one.
        needed: bool,
    },
    /// A limit of the device that every stencil exceeds, or every run with a convergence check.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The residual of a run with a convergence check cannot be computed.
    #[error("the residual: {0}")]
    Residual(#[from] ReduceError),
    /// An epsilon that is negative or not a number.
    #[error(
        "an epsilon of {0}: a residual is never below that; use a positive number, or 0 to take every step"
    )]
    Epsilon(f64),
    /// A check after every zero steps.
    #[error("a check after every 0 steps: after every step is 1")]
    NoChecks,
}

impl StencilError {
    pub(super) fn too_many_workgroups(needed: u64, limits: &wgpu::Limits) -> Self {
        StencilError::TooManyWorkgroups { needed, limit: grid::most_groups(limits) }
    }
}
