//! Errors of stencils.

use crate::adapter::feature_names;
use crate::element::Element;
use crate::gpu::{BufferError, LimitError, SettingError};
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
    /// A number that is out of range: a field of a [`Tuning`](crate::stencil::Tuning), the steps of a round or from one check to the next.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A block whose sides or workgroup memory the kernel or the device does not allow.
    #[error("`{variant}` in blocks of {block}: {error}")]
    Block {
        /// The variant.
        variant: &'static str,
        /// The block.
        block: Block,
        /// The error of its sides or of a limit.
        error: Box<StencilError>,
    },
    /// Borders of a kind that the kernel does not know.
    #[error(
        "`{variant}` knows the borders fixed, reflect and wrap; the kernel direct-global knows mirror and constant, too: use it, or name no \
         kernel"
    )]
    BorderKind {
        /// The variant.
        variant: &'static str,
    },
    /// A direction that is periodic on one side only.
    #[error("a direction must be periodic on both sides or on none")]
    HalfPeriodic,
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
    /// A right-hand side is given and the kernel adds none, or the kernel adds one and none is given.
    #[error(
        "the kernel {} a right-hand side: `Config::with_rhs` and `Grids::with_rhs` go together",
        if *needed { "adds" } else { "does not add" }
    )]
    RightHandSide {
        /// True if the kernel adds one.
        needed: bool,
    },
    /// A buffer that is too short, lacks a usage, or is given twice.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// A limit of the device that a block, the grid or the kernels exceed.
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
}
