//! Errors of operators' texts and of maps.

use wgpu::Features;

use crate::adapter::feature_names;
use crate::element::Element;
use crate::reduce::op::Op;

/// Errors of a text that is no operator. Lines and columns refer to the text that you gave.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MonoidError {
    /// One of halofold's operators is not defined for the element type.
    #[error("`{op}` is not defined for {element}")]
    Undefined {
        /// The operator.
        op: Op,
        /// The element type.
        element: Element,
    },
    /// Values of a sum are made of other elements than 32-bit and 16-bit floats.
    #[error("values are made of f32 or f16, not of {element}: `Monoid::custom` takes any element")]
    Values {
        /// The element type.
        element: Element,
    },
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
    /// The text contains something that only a complete shader may contain, or that synchronizes invocations:
    /// a variable outside functions, an override, an entry point, a barrier, a subgroup operation, a
    /// derivative or `discard`.
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
    /// Texels for an operator that cannot read them, or a [map](crate::Map) of elements in the place of one of texels.
    #[error(
        "texels go with an operator of one input over f32, i32 or u32, or over a type of its own, and a map of texels (`Map::texels`)"
    )]
    Texels,
    /// A mask for an operator of two inputs, or elements left out of those of a type that the operator's text declares.
    #[error(
        "elements that are NaN are left out of numbers, and those outside of a mask of the numbers in one buffer: over elements of its own \
         an operator leaves them out in its `map`"
    )]
    Kept,
    /// A [map](crate::Map), or an operator that is [scanned](crate::scan), with names that are also those of halofold's own kernel.
    #[error(
        "the text does not compose with halofold's own kernel; rename what it declares apart from the functions that halofold calls:\n{0}"
    )]
    Composed(String),
    /// The device was created without a feature that an operator, a [map](crate::Map) or a kernel needs.
    #[error("{what} needs {}, which this device lacks or was created without", feature_names(*features))]
    MissingFeature {
        /// The operator or the kernel, and the element type; or the map.
        what: String,
        /// The missing feature or features.
        features: Features,
    },
}
