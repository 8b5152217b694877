//! Exact sums with one accumulator, for operations that combine what they like.

use crate::element::Element;
use crate::gpu::error::Error;
use crate::reduce::elem::{Arity, Elem};
use crate::reduce::exact::{ExactSum, Format};
use crate::reduce::monoid::Monoid;
use crate::reduce::op::Op;
use crate::shader::{Composer, rooms};

/// The bits of a digit.
const DIGIT: &str = "const DIGIT: u32 = 28u;";

impl ExactSum {
    /// The operator of these sums whose accumulator is the whole integer; `None` unless it sums 32-bit or 16-bit floats.
    pub(in crate::reduce) fn accumulated(&self, exact: &Monoid) -> Result<Option<Monoid>, Error> {
        if exact.op() != Some(Op::Sum) || self.format != Format::Single {
            return Ok(None);
        }
        // 32-bit floats are read as words: nothing then flushes a subnormal one. A 16-bit float has no word of its own, and naga's `bitcast` makes
        // none of two; WGSL lets a GPU take a subnormal one for zero here, where it is widened.
        let (wgsl, bits) = match self.element {
            Element::F16 => ("f16", "bitcast<u32>(f32(elem))"),
            _ => ("u32", "elem"),
        };
        let composer = Composer::of(&[rooms::OPERATORS, rooms::SHARED, rooms::EXACT])
            .generate(
                "float_bits",
                "a number",
                format!("fn bits(elem: Elem) -> u32 {{\n    return {bits};\n}}"),
            )
            .generate("format", "digits", DIGIT)
            .generate("types", "the numbers of the format", self.rounding());
        let elem = Elem::Number { element: self.element, wgsl };
        let pieces = composer.pieces("operators/shared/long_sum");
        let name = format!("exact-{}", exact.name);
        Ok(Some(Monoid::analyse(&name, elem, Arity::One, pieces)?.known_as(Op::Sum, None)))
    }
}
