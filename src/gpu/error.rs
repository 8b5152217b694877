//! Errors of operations, by their cause.

use wgpu::Features;

use crate::adapter::feature_names;
use crate::gpu::buffers::BufferError;
use crate::gpu::limits::{LimitError, SettingError};
use crate::gpu::texels::TextureError;
use crate::read::ReadError;
use crate::shader;

/// Errors of an operation that cannot be described, compiled, bound or read, by their cause. Each message names the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting that is out of range, or that does not go with another one.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A limit of the device that is too low.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A feature that the device lacks.
    #[error(transparent)]
    Feature(#[from] FeatureError),
    /// A buffer that cannot be used in this way.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// A texture that cannot be used in this way.
    #[error(transparent)]
    Texture(#[from] TextureError),
    /// WGSL of the application's that cannot be used.
    #[error(transparent)]
    Wgsl(#[from] WgslError),
    /// Data for which the results are incomplete, or that are no results.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Results that did not reach the host.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Error {
    /// Makes the error of a setting, with its whole message.
    pub(crate) fn setting(name: &'static str, message: impl Into<String>) -> Self {
        SettingError::of(name, message).into()
    }

    /// Names the part of the operation that a setting or a limit belongs to.
    pub(crate) fn within(self, part: &str) -> Self {
        match self {
            Error::Setting(error) => Error::setting(error.name, format!("{part}: {error}")),
            Error::Limit(error) => error.of(part).into(),
            other => other,
        }
    }
}

/// The device was created without a feature that an operator, a map or a kernel needs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} needs {}, which this device lacks or was created without", feature_names(*features))]
pub struct FeatureError {
    /// What needs it: the operator or the kernel, and the element type.
    pub what: String,
    /// The missing feature or features.
    pub features: Features,
}

/// Errors of an application's WGSL. Lines and columns refer to the text that you gave.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WgslError {
    /// The stride of `array<Elem>` differs from the given stride.
    #[error("an element takes {wgsl} bytes in an array, not {said}: pad `Elem`, or give a stride of {wgsl}")]
    Stride {
        /// The stride that WGSL gives the array, in bytes.
        wgsl: u64,
        /// The given stride, in bytes.
        said: u64,
    },
    /// naga does not accept the text.
    #[error("the operator is not valid WGSL:\n{0}")]
    Invalid(String),
    /// A function is missing.
    #[error("the operator lacks the function `{expected}`")]
    Missing {
        /// The declaration that it should have.
        expected: &'static str,
    },
    /// A function has the wrong parameters or the wrong result type.
    #[error("line {line}: `{function}` must be declared `{expected}`")]
    Signature {
        /// The line of its declaration, counted from 1.
        line: u32,
        /// The name of the function.
        function: &'static str,
        /// The declaration that it should have.
        expected: String,
    },
    /// A buffer cannot hold the type `Acc` or `Out`.
    #[error("`{0}` must be a number, a vector of numbers or a struct of these: a buffer holds no other type")]
    NotStorable(&'static str),
    /// The accumulator is too large for workgroup memory.
    #[error("`Acc` takes {words} words of 32 bits: at most {limit}")]
    TooLarge {
        /// The words that it takes.
        words: usize,
        /// The words that it may take.
        limit: usize,
    },
    /// The text contains something that only a complete shader may contain, or that synchronizes invocations: a variable outside functions, an
    /// override, an entry point, a barrier, a subgroup operation, a derivative or `discard`.
    #[error(
        "{}{what}: an operator may contain only constants, types, functions that each invocation runs on its own, and one variable \
         of parameters, `@group(0) @binding(9) var<uniform>` or `@group(0) @binding(10) var<storage>`",
        line.map(|line| format!("line {line}: ")).unwrap_or_default()
    )]
    NotPure {
        /// Its line, counted from 1, if naga reports it.
        line: Option<u32>,
        /// The declaration or access that is not allowed.
        what: &'static str,
    },
    /// A [map](crate::Map) with keys of another type than the operation takes.
    #[error(
        "the map returns `{returns}`: let it return {needed}, or a vector with a key for each of several channels"
    )]
    Key {
        /// The type that it returns, in WGSL.
        returns: String,
        /// The type of a key, in WGSL.
        needed: &'static str,
    },
    /// A text that naga refuses within halofold's own kernel. Holds naga's message.
    #[error("the text does not compose with halofold's own kernel:\n{0}")]
    Composed(String),
}

impl WgslError {
    /// Checks a kernel that an application wrote a part of, so that no text that naga rejects reaches a device.
    pub(crate) fn unless_valid(composed: &str) -> Result<(), Self> {
        let valid = shader::validated(composed).map(drop);
        valid.map_err(|refusal| WgslError::Composed(refusal.report))
    }
}

/// Errors that only the data show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// Pairs whose id no group has. The results leave these pairs out.
    #[error("{number} ids are {groups} or more: declare more groups")]
    Ids {
        /// Their number.
        number: u32,
        /// The number of groups.
        groups: u32,
    },
    /// More different keys than groups. The results leave out the pairs of those that are too many.
    #[error("there are more than {groups} different keys, {pairs} pairs are left out: allow more groups")]
    Keys {
        /// The number of pairs that are left out.
        pairs: u32,
        /// The number of groups.
        groups: u32,
    },
    /// Words or bytes that are no state, or no result.
    #[error("{0}")]
    Format(String),
}
