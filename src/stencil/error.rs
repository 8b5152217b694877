//! What can be wrong with a stencil.

use crate::adapter::feature_names;
use crate::element::Element;
use crate::pipeline::{self, LimitError};
use crate::read::ReadError;
use crate::reduce::ReduceError;
use crate::stencil::shape::{Block, Grid};

/// Why a stencil cannot be stepped. Each message says what to do about it.
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
    /// Cells asked for as a type of another width.
    #[error("cells of {element} as a type of {asked} bytes: ask for one of {}", element.size())]
    CellType {
        /// The element type.
        element: Element,
        /// Bytes of the type.
        asked: usize,
    },
    /// Cells that did not reach the host.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A kernel that was written for another stencil.
    #[error("`{variant}` is no kernel of the {stencil} stencil: `Stencil::variants` has those")]
    NotServed {
        /// The variant.
        variant: &'static str,
        /// The stencil.
        stencil: &'static str,
    },
    /// An empty grid, or one of the wrong dimensions.
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
    /// A knob that is turned too far.
    #[error("{name} of {value}: it can be {allowed}")]
    Tuning {
        /// The knob, a field of [`Tuning`](crate::stencil::Tuning).
        name: &'static str,
        /// Its value.
        value: u32,
        /// What it may be.
        allowed: &'static str,
    },
    /// Periodic on one side only.
    #[error("a direction is periodic on both sides or on none")]
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
        "a block of {block}: this device allows {limit} invocations (max_compute_invocations_per_workgroup), fewer on one side \
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
        "a grid of {grid} takes {needed} bytes: a buffer of this device has {limit} at most (max_buffer_size)"
    )]
    GridTooLarge {
        /// The grid.
        grid: Grid,
        /// Bytes it takes.
        needed: u64,
        /// Bytes of the largest buffer.
        limit: u64,
    },
    /// A grid that would have to be cut, but a binding holds too few of its rows or planes.
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
    /// More workgroups than a grid of them holds.
    #[error(
        "{needed} workgroups: this device allows {limit} in two dimensions (max_compute_workgroups_per_dimension); use a larger block"
    )]
    TooManyWorkgroups {
        /// Workgroups needed.
        needed: u64,
        /// What two dimensions hold.
        limit: u64,
    },
    /// A buffer that does not fit.
    #[error("the {role} buffer needs {usage:?} and {needed} bytes, it has {size}")]
    Buffer {
        /// What the buffer is for.
        role: &'static str,
        /// The usage it needs.
        usage: wgpu::BufferUsages,
        /// Bytes it needs.
        needed: u64,
        /// Bytes it has.
        size: u64,
    },
    /// One buffer for two grids.
    #[error("two of the grids are one buffer: a step cannot read and write it at once")]
    Aliased,
    /// A right-hand side where the kernel adds none, or none where it does.
    #[error(
        "the kernel {} a right-hand side: `Config::with_rhs` and `Grids::with_rhs` go together",
        if *needed { "adds" } else { "does not add" }
    )]
    RightHandSide {
        /// Whether the kernel adds one.
        needed: bool,
    },
    /// A limit that every stencil exceeds there, or every run that ends by itself.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The residual of a run that ends by itself cannot be computed.
    #[error("the residual: {0}")]
    Residual(#[from] ReduceError),
    /// An epsilon that nothing is below.
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
        StencilError::TooManyWorkgroups { needed, limit: pipeline::most_groups(limits) }
    }
}
