//! A dispatch of a plan.

use crate::gpu::params::{Field, Parameters};
use crate::gpu::range::ByteRange;

/// One dispatch of a plan: a kernel over a window of each input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pass {
    /// The name of its kernel, which ends the kernel's label, with dots.
    pub step: &'static str,
    /// The range of the input's buffer that it reads, counted from the buffer's start; `None` if it reads none.
    pub from: Option<ByteRange>,
    /// The range of the second input's buffer with the elements of the same indices; `None` if it reads none.
    pub second: Option<ByteRange>,
    /// The range of the output that it binds, counted from the output's start; `None` if it binds all of it.
    pub to: Option<ByteRange>,
    /// Workgroups in x and y.
    pub grid: [u32; 2],
    fields: &'static [Field],
    words: Vec<u32>,
}

impl Pass {
    /// A dispatch that reads no input.
    pub(crate) fn new<P: Parameters>(step: &'static str, grid: [u32; 2], params: P) -> Self {
        let words = bytemuck::cast_slice(bytemuck::bytes_of(&params)).to_vec();
        Pass { step, from: None, second: None, to: None, grid, fields: P::FIELDS, words }
    }

    /// Returns the dispatch over a window of the input.
    pub(crate) fn reading(self, from: Option<ByteRange>) -> Self {
        Pass { from, ..self }
    }

    /// Returns the dispatch over a window of the second input.
    pub(crate) fn with(self, second: Option<ByteRange>) -> Self {
        Pass { second, ..self }
    }

    /// Returns the dispatch with a window of the output.
    pub(crate) fn writing(self, to: Option<ByteRange>) -> Self {
        Pass { to, ..self }
    }

    /// The words of its parameters, as the uniform block of its kernel holds them.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns a parameter by its name in the kernel's WGSL, as a word; `None` if the kernel has no such parameter.
    pub fn param(&self, name: &str) -> Option<u32> {
        let (_, offset) = self.fields.iter().find(|(field, _)| *field == name)?;
        Some(self.words[offset / 4])
    }
}
