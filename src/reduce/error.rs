//! What can be wrong with a reduction.

use crate::adapter::feature_names;
use crate::binding::BufferError;
use crate::element::Element;
use crate::reduce::catalogue::Finish;
use crate::reduce::operator::Operator;

/// Why a reduction cannot be planned. Each says which limit stands in the way and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The workgroup size is no power of two.
    #[error("a workgroup of {0} invocations: the size must be a power of two (1, 2, 4 … 1024)")]
    WorkgroupNotPowerOfTwo(u32),
    /// The device does not run workgroups that large.
    #[error(
        "a workgroup of {asked} invocations: this device allows {limit} (max_compute_invocations_per_workgroup)"
    )]
    WorkgroupTooLarge {
        /// The size asked for.
        asked: u32,
        /// What the device allows.
        limit: u32,
    },
    /// The kernel needs more workgroup memory than the device has.
    #[error(
        "`{rung}` needs {needed} bytes of workgroup memory, this device allows {limit} \
         (max_compute_workgroup_storage_size): use a smaller workgroup"
    )]
    WorkgroupMemory {
        /// The rung.
        rung: &'static str,
        /// Bytes it needs.
        needed: u64,
        /// Bytes the device allows.
        limit: u32,
    },
    /// The tile does not go with the workgroup.
    #[error(
        "a tile of {tile} for a workgroup of {workgroup_size}: it must be a power of two of 1 to 16 items an invocation, at most 1024"
    )]
    Tile {
        /// Items in a tile.
        tile: u32,
        /// Invocations in a workgroup.
        workgroup_size: u32,
    },
    /// The rung cannot finish that way.
    #[error("`{rung}` does not finish by `{finish}`; it can by {offered}")]
    Finish {
        /// The rung.
        rung: &'static str,
        /// The finish asked for.
        finish: Finish,
        /// What it offers.
        offered: String,
    },
    /// More elements than a 32-bit index reaches.
    #[error("{0} elements: one reduction takes at most 4294967295; split the input")]
    TooManyElements(u64),
    /// More workgroups than a grid holds.
    #[error(
        "{needed} workgroups: this device allows {limit} in a grid of two dimensions; use a larger workgroup"
    )]
    TooManyWorkgroups {
        /// Workgroups needed.
        needed: u64,
        /// What a two-dimensional grid holds.
        limit: u64,
    },
    /// More partial results than one workgroup can pick up from the notice board.
    #[error(
        "{needed} workgroups: the last one of `last-workgroup` adds at most {limit} results; use a larger workgroup"
    )]
    TooManyTickets {
        /// Workgroups needed.
        needed: u64,
        /// What the last one can add.
        limit: u64,
    },
    /// A buffer would be larger than the device allows.
    #[error(
        "{needed} bytes of {role}: this device allows {limit} (max_buffer_size); use a larger workgroup or fewer elements"
    )]
    BufferTooLarge {
        /// What the buffer is for.
        role: &'static str,
        /// Bytes it needs.
        needed: u64,
        /// Bytes the device allows.
        limit: u64,
    },
    /// The input would end beyond the largest address.
    #[error("{len} elements from byte {offset} on: no buffer reaches that far")]
    OutOfReach {
        /// Where it starts.
        offset: u64,
        /// How many elements there are.
        len: u64,
    },
    /// The input does not start at an element.
    #[error("the input starts at byte {offset}, which is no multiple of the element's {size} bytes")]
    Misaligned {
        /// Where it starts.
        offset: u64,
        /// Bytes of one element.
        size: u64,
    },
}

/// Why a reduction cannot be made, prepared or read. Each message says what to do about it.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReduceError {
    /// The plan does not fit the device.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The operator is not defined for the element type.
    #[error("`{operator}` is not defined for {element}")]
    Undefined {
        /// The operator.
        operator: Operator,
        /// The element type.
        element: Element,
    },
    /// The device was created without a feature.
    #[error("{what} needs {}, which this device lacks or was created without", feature_names(*feature))]
    MissingFeature {
        /// What needs it.
        what: String,
        /// The feature.
        feature: wgpu::Features,
    },
    /// A rung about subgroups with subgroups turned off.
    #[error("`{rung}` is about subgroup operations, which the tuning turns off")]
    SubgroupsDisabled {
        /// The rung.
        rung: &'static str,
    },
    /// No atomic word holds the accumulator.
    #[error("no atomic word holds {acc}: use another way to finish")]
    NoAtomic {
        /// The accumulator's type in WGSL.
        acc: &'static str,
    },
    /// A buffer that cannot be used so.
    #[error(transparent)]
    Buffer(#[from] BufferError),
}
