//! What an operator is, reads and gives.

use wgpu::{Features, TextureSampleType};

use super::Monoid;
use crate::element::Element;
use crate::gpu::error::{Error, FeatureError};
use crate::gpu::parameters::Parameters;
use crate::reduce::elem::{Arity, Elem};
use crate::reduce::op::Op;
use crate::reduce::results::OutputLayout;
use crate::reduce::value::Field;

impl Monoid {
    /// The operator, if it is one of halofold's own; `None` for a custom operator.
    pub fn op(&self) -> Option<Op> {
        self.op
    }

    /// The operator's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The element type of the inputs; `None` for an operator made by [`Monoid::custom_struct`].
    pub fn element(&self) -> Option<Element> {
        match self.elem {
            Elem::Number { element, .. } => Some(element),
            Elem::Declared { .. } => None,
        }
    }

    /// The name of the element type in messages.
    pub(in crate::reduce) fn element_name(&self) -> String {
        self.element().map_or("its own elements", Element::name).to_owned()
    }

    /// The type of the texture samples that it reads; `None` if it reads buffers.
    pub fn sample(&self) -> Option<TextureSampleType> {
        self.texels.as_ref().and_then(|map| map.sample)
    }

    /// Bytes from one element to the next in the inputs.
    pub fn stride(&self) -> u64 {
        self.elem.stride()
    }

    /// The numbers of a result; `None` if it has one that Rust has no type for.
    pub(in crate::reduce) fn fields(&self) -> Option<Vec<Field>> {
        match (self.op, self.element(), &self.exact) {
            (Some(op), Some(element), _) => Some(op.fields(element)),
            (_, _, Some(sum)) => Some(vec![sum.format.result()]),
            _ => self.out.fields(),
        }
    }

    /// Returns an operator that sums exactly with accumulators, if this one has such a form, or else this one.
    pub(crate) fn accumulated(self) -> Self {
        let accumulated = self.exact.as_ref().and_then(|sum| sum.accumulated(&self));
        accumulated.unwrap_or(self)
    }

    /// Checks that only elements of one buffer go into its accumulators, and parameters where an operation takes some.
    pub(crate) fn check_plain(&self, takes_parameters: bool) -> Result<(), Error> {
        let takes_own = takes_parameters || self.parameters.is_none();
        if self.arity == Arity::One && self.texels.is_none() && takes_own && self.exact.is_none() {
            return Ok(());
        }
        let remedy =
            "use an operator of one input, over a buffer, without parameters; exact sums of f32 and f16";
        let message = format!("`{}` does not go with prefixes, groups or selections: {remedy}", self.name);
        Err(Error::setting("operator", message))
    }

    /// The layout of its results.
    pub(crate) fn layout(&self) -> OutputLayout {
        let (name, fields) = (self.name().to_owned(), self.fields().unwrap_or_default());
        OutputLayout { name, fields, stride: self.out_size() }
    }

    /// The types of a result's numbers, in the order of their offsets; `None` if one of them is no element type.
    pub fn out_elements(&self) -> Option<Vec<Element>> {
        self.fields()?.into_iter().map(|field| field.number.element()).collect()
    }

    /// Bytes of the parameters that its text or its map of texels declares, at least; `None` if they declare none.
    /// [`Reduction::with_parameters`](crate::reduce::Reduction::with_parameters) binds them.
    pub fn parameters_size(&self) -> Option<u64> {
        self.parameters().map(|parameters| parameters.size)
    }

    /// The parameters that its text or its map of texels declares.
    pub(in crate::reduce) fn parameters(&self) -> Option<Parameters> {
        self.parameters.or(self.texels.as_ref().and_then(|map| map.parameters))
    }

    /// The number of inputs that it maps together.
    pub fn arity(&self) -> Arity {
        self.arity
    }

    /// Bytes from one result to the next in the output buffer. The size of the whole output is rounded up to
    /// words of four bytes: [`Plan::output`](crate::reduce::Plan::output).
    pub fn out_size(&self) -> u64 {
        self.out.stride
    }

    /// The type of a result in WGSL. A type that the operator's text declares has an ending there.
    pub fn out_type(&self) -> &str {
        &self.out.wgsl
    }

    /// Bytes from one accumulator to the next in a buffer of [states](crate::reduce#states).
    pub fn acc_size(&self) -> u64 {
        self.acc.stride
    }

    /// The type of an accumulator in WGSL, as for [`Monoid::out_type`].
    pub fn acc_type(&self) -> &str {
        &self.acc.wgsl
    }

    /// The features that the operator's own text needs, without those that moving accumulators as words needs.
    pub(crate) fn own_features(&self) -> Features {
        self.features
    }

    /// Checks that a device offers the features of the operator's own text.
    pub(crate) fn check_features(&self, offered: Features) -> Result<(), FeatureError> {
        self.needs(self.name(), self.features - offered)
    }

    /// Returns an error of the operator, or of a kernel for it, if features are missing.
    pub(crate) fn needs(&self, name: &str, features: Features) -> Result<(), FeatureError> {
        let what = || format!("`{name}` over {}", self.element_name());
        if features.is_empty() { Ok(()) } else { Err(FeatureError { what: what(), features }) }
    }

    /// The features that a device needs to run it in every form except
    /// [`ShapeKind::Accumulate`](crate::reduce::ShapeKind::Accumulate), which may need [more](Monoid::accumulates).
    /// Most operators over 32-bit types need none.
    pub fn features(&self) -> Features {
        if self.compares_in_words() {
            return Features::empty();
        }
        // Accumulators of 64 bits are moved as 32-bit words, and splitting them takes 64-bit integers.
        if self.acc.is_wide() { self.features | Features::SHADER_INT64 } else { self.features }
    }
}
