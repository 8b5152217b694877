//! Inputs, outputs and results of an operation, each by its name.

use crate::gpu::error::Error;
use crate::gpu::input::Input;
use crate::gpu::slice::Slice;

/// The inputs of an operation `O`: a buffer or a slice of one where it reads one input, and a struct with a field for each where it reads
/// several. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no input of `{O}`",
    note = "its documentation names its inputs"
)]
pub trait InputsOf<'b, O> {
    /// The inputs in the order of their bindings.
    #[doc(hidden)]
    fn inputs(self) -> (Input<'b>, Option<Slice<'b>>);
}

/// The outputs of an operation `O`: a buffer or a slice of one where it writes one array, and a struct with a field for each where it writes
/// several. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no output of `{O}`",
    note = "its documentation names its outputs"
)]
pub trait OutputsOf<'b, O> {
    /// The outputs in the order of the plan's; `None` for one that the caller does not need.
    #[doc(hidden)]
    fn slices(self, operation: &O) -> Result<Vec<Option<Slice<'b>>>, Error>;
}

/// A result of an operation `O` on the host. Its documentation names the type. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no result of `{O}`",
    note = "its documentation names its results"
)]
pub trait ResultOf<O>: Sized {
    /// Reads the results of `len` elements. `outputs` are the bytes of the outputs, in the order of the plan's.
    #[doc(hidden)]
    fn results(operation: &O, len: u64, outputs: &[&[u8]]) -> Result<Vec<Self>, Error>;
}

/// An operation that can read one input.
pub trait OneInput {}

/// An operation that can write one array.
pub trait OneOutput {}

impl<'b, O: OneInput, B: Into<Slice<'b>>> InputsOf<'b, O> for B {
    fn inputs(self) -> (Input<'b>, Option<Slice<'b>>) {
        (Input::Buffer(self.into()), None)
    }
}

impl<'b, O: OneOutput, B: Into<Slice<'b>>> OutputsOf<'b, O> for B {
    fn slices(self, _: &O) -> Result<Vec<Option<Slice<'b>>>, Error> {
        Ok(vec![Some(self.into())])
    }
}

/// Makes a struct the outputs of an operation, in the order of its fields.
macro_rules! outputs {
    ($outputs:ident<$($part:ident: $field:ident),+>, $operation:ty) => {
        impl<'b, $($part: Into<$crate::Slice<'b>>),+> $crate::gpu::io::OutputsOf<'b, $operation> for $outputs<$($part),+> {
            fn slices(self, _: &$operation) -> Result<Vec<Option<$crate::Slice<'b>>>, $crate::Error> {
                Ok(vec![$(Some(self.$field.into())),+])
            }
        }
    };
}
pub(crate) use outputs;

/// An output of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// Its name.
    pub name: &'static str,
    /// Its size in bytes, a multiple of four.
    pub size: u64,
    /// The parameter with its place in its binding, in words: such an output starts at any word.
    pub(crate) place: Option<&'static str>,
}

impl Output {
    pub(crate) const fn new(name: &'static str, size: u64) -> Self {
        Output { name, size, place: None }
    }

    /// An output that starts at any word: its place in its binding is a parameter.
    pub(crate) const fn placed(name: &'static str, size: u64, place: &'static str) -> Self {
        Output { name, size, place: Some(place) }
    }
}
