//! What can be wrong with a reduction.

use crate::adapter::feature_names;
use crate::element::Element;
use crate::reduce::operator::Operator;
use crate::reduce::plan::PlanError;

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
    /// A buffer lacks a usage.
    #[error("the {role} buffer lacks {usage:?}: create it with that usage")]
    Usage {
        /// What the buffer is for.
        role: &'static str,
        /// The usage it lacks.
        usage: wgpu::BufferUsages,
    },
    /// A buffer ends too early.
    #[error("the {role} needs bytes {start}..{end}, the buffer has {size}")]
    TooShort {
        /// What the buffer is for.
        role: &'static str,
        /// First byte needed.
        start: u64,
        /// One past the last byte needed.
        end: u64,
        /// What the buffer has.
        size: u64,
    },
    /// An offset is not where a binding may start.
    #[error(
        "the {role} starts at byte {offset}, which is no multiple of {align} (min_storage_buffer_offset_alignment)"
    )]
    Offset {
        /// What the buffer is for.
        role: &'static str,
        /// Where it starts.
        offset: u64,
        /// What the device asks for.
        align: u32,
    },
    /// One buffer for two things.
    #[error("the {first} and the {second} are one buffer: a dispatch cannot read and write it at once")]
    Aliased {
        /// One use.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
}
