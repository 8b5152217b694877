//! Sums of the values that a function of an application makes of the elements, plain and exact.

use std::slice;

use crate::element::Element;
use crate::gpu::error::Error;
use crate::reduce::analysis::{Signatures, Source, features};
use crate::reduce::elem::{Arity, Elem};
use crate::reduce::exact::{ExactSum, Format};
use crate::reduce::monoid::Monoid;
use crate::shader::{self, Piece};

/// The operator, but for `map`, which calls the application's function.
const SUM: &str = "alias Acc = f32;
fn identity() -> Acc { return 0.0; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> Acc { return acc; }
";

impl Monoid {
    /// Makes the sum of values that your WGSL makes of the elements, which can be [exact](crate::reduce::exact).
    ///
    /// `wgsl` declares `fn value(x: f32) -> f32`, and with [`Arity::Two`] `fn value(x: f32, y: f32) -> f32`, and what these call. 16-bit
    /// floats are widened before the call. As in [`Monoid::custom`], the text may read one variable of parameters.
    ///
    /// With [`Accuracy::Exact`](crate::reduce::Accuracy::Exact) the values are added without rounding, and the sum is rounded once. So it has
    /// the same bits wherever `value` has. That is so of a single addition, subtraction or multiplication of normal numbers, and of
    /// operations that do not round. A compiler may fuse a product with an addition that follows, and a GPU may flush subnormal
    /// numbers. A value costs what your function does, beside the ten operations of its addition.
    ///
    /// ```
    /// use halofold::reduce::{Accuracy, Arity, Monoid, Reduce};
    /// use halofold::{Compiled, Element, Options};
    ///
    /// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
    /// # let elements = buffer(bytemuck::cast_slice(&[-1e8f32, 1.0, 1e8]));
    /// let positive = "fn value(x: f32) -> f32 { return max(x, 0.0); }";
    /// let monoid = Monoid::sum_of("sum-of-positive", Element::F32, Arity::One, positive)?;
    /// let sum = Reduce::new(monoid).with_accuracy(Accuracy::Exact);
    /// let sum = Compiled::new(&device, sum, &Options::default())?;
    /// # assert_eq!(sum.of(&elements).run::<f32>(&queue)?, 1e8 + 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The elements are neither [`Element::F32`] nor [`Element::F16`], or the text is wrong: the error names the line.
    pub fn sum_of(name: &str, element: Element, arity: Arity, wgsl: &str) -> Result<Self, Error> {
        if !matches!(element, Element::F32 | Element::F16) {
            let remedy = "`Monoid::custom` takes any element";
            let message = format!("values are made of f32 or f16, not of {element}: {remedy}");
            return Err(Error::setting("element", message));
        }
        shader::apart(wgsl, "_op_", &["value"], |text| Monoid::of_values(name, element, arity, text))
    }

    fn of_values(name: &str, element: Element, arity: Arity, wgsl: &str) -> Result<Self, Error> {
        let elem = Elem::Number { element, wgsl: element.name() };
        let own = Piece::foreign(format!("operator: {name}"), wgsl);
        let source = Source::new(Elem::Number { element: Element::F32, wgsl: "f32" }, slice::from_ref(&own));
        let (module, info) = source.parse()?;
        let (parameters, map) = match arity {
            Arity::One => (vec!["f32"], "fn map(elem: Elem, index: u32) -> Acc { return value(f32(elem)); }"),
            Arity::Two => {
                let map = "fn map(a: Elem, b: Elem, index: u32) -> Acc { return value(f32(a), f32(b)); }";
                (vec!["f32", "f32"], map)
            }
        };
        Signatures { module: &module, text: &source }.check("value", &parameters, "f32")?;
        let sum = Piece::new("generated: the sum of values", format!("{SUM}{map}\n"));
        let exact = ExactSum {
            map: Some(own.clone()),
            features: features(&module, &info),
            ..ExactSum::of(Format::Single, element, "mapped")
        };
        let mut monoid = Monoid::analyse(name, elem, arity, vec![own, sum])?;
        monoid.exact_form = Some(exact);
        Ok(monoid)
    }
}
