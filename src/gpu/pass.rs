//! A dispatch of a plan.

use crate::gpu::params::{Field, Parameters};
use crate::gpu::range::ByteRange;

/// The binding of group 0 with the input.
pub(crate) const INPUT: u32 = 0;

/// The binding with the output.
pub(crate) const OUTPUT: u32 = 1;

/// The binding with the second input.
pub(crate) const SECOND: u32 = 5;

/// A part of a buffer that a pass binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Binding {
    /// Of the input with this number, counted from the start of its buffer; of a list of offsets, from the start of the list.
    Input(usize, ByteRange),
    /// Of the first output, counted from its start.
    Output(ByteRange),
    /// Of the memory with this number in the plan.
    Memory(usize, ByteRange),
    /// The buffer for the parameters that an application's text declares. Passes without it bind this buffer where their kernels declare it.
    Parameters,
}

/// One dispatch of a plan: a kernel, the parts of buffers that it binds, and its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pass<S = &'static str> {
    /// Its kernel. That of a planned operation has a name, which ends the kernel's label, with dots.
    pub step: S,
    /// The number of levels of a reduction that it waits for. Passes of one level do not depend on one another.
    pub level: u32,
    /// Workgroups in x and y.
    pub grid: [u32; 2],
    pub(crate) bindings: Vec<(u32, Binding)>,
    fields: [&'static [Field]; 2],
    words: Vec<u32>,
}

impl<S> Pass<S> {
    /// A dispatch that binds outputs and memory as a whole, and no input.
    pub(crate) fn new<P: Parameters>(step: S, grid: [u32; 2], params: P) -> Self {
        let words = bytemuck::cast_slice(bytemuck::bytes_of(&params)).to_vec();
        Pass { step, level: 0, grid, bindings: Vec::new(), fields: [P::FIELDS, &[]], words }
    }

    /// Returns the dispatch with the parameters that follow those of all kernels, each of which is a word.
    pub(crate) fn and<P: Parameters>(mut self, own: P) -> Self {
        self.words.extend_from_slice(bytemuck::cast_slice(bytemuck::bytes_of(&own)));
        Pass { fields: [self.fields[0], P::FIELDS], ..self }
    }

    /// Returns the dispatch on a level.
    pub(crate) fn at(self, level: u32) -> Self {
        Pass { level, ..self }
    }

    /// Returns the dispatch with a part of a buffer, if there is one.
    pub(crate) fn bind(mut self, slot: u32, part: Option<Binding>) -> Self {
        self.bindings.extend(part.map(|part| (slot, part)));
        self
    }

    /// Returns the dispatch from parts of two inputs to a part of an output.
    pub(crate) fn between(self, [first, second]: [Option<Binding>; 2], to: Option<Binding>) -> Self {
        self.bind(INPUT, first).bind(SECOND, second).bind(OUTPUT, to)
    }

    /// Returns the dispatch over a window of the input.
    pub(crate) fn reading(self, from: Option<ByteRange>) -> Self {
        self.bind(INPUT, from.map(|bytes| Binding::Input(0, bytes)))
    }

    /// Returns the dispatch over a window of the second input.
    pub(crate) fn with(self, second: Option<ByteRange>) -> Self {
        self.bind(SECOND, second.map(|bytes| Binding::Input(1, bytes)))
    }

    /// The part of a buffer that it binds to a slot of group 0. The input is 0, the output 1, the second input 5.
    pub fn binding(&self, slot: u32) -> Option<Binding> {
        self.bindings.iter().find(|(bound, _)| *bound == slot).map(|(_, part)| *part)
    }

    /// The total number of workgroups.
    pub fn workgroups(&self) -> u64 {
        self.grid.into_iter().map(u64::from).product()
    }

    /// The words of its parameters, as the uniform block of its kernel holds them.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns a parameter by its name in the kernel's WGSL, as a word; `None` if the kernel has no such parameter.
    pub fn param(&self, name: &str) -> Option<u32> {
        self.place(name).map(|at| self.words[at])
    }

    /// Changes a parameter that the kernel has.
    pub(crate) fn change(&mut self, name: &str, to: impl FnOnce(u32) -> u32) {
        if let Some(at) = self.place(name) {
            self.words[at] = to(self.words[at]);
        }
    }

    /// The parameters that all kernels have.
    #[cfg(test)]
    pub(crate) fn fields(&self) -> &'static [Field] {
        self.fields[0]
    }

    /// The number of the word that is a parameter.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        let [common, own] = self.fields;
        let own = own.iter().map(|(field, at)| (field, common.len() + at / 4));
        let mut fields = common.iter().map(|(field, at)| (field, at / 4)).chain(own);
        fields.find(|(field, _)| **field == name).map(|(_, at)| at)
    }
}
