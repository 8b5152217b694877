//! The operators that halofold knows, and what each makes of an element type.

use std::borrow::Cow;

use crate::element::Element;
use crate::reduce::Operator;
use crate::reducer::monoid::{Arity, Monoid};
use crate::shader;

/// What a [`Reducer`](crate::reducer::Reducer) computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Op {
    /// Sum. Integers wrap. Of nothing: 0.
    Sum,
    /// Product. Integers wrap. Of nothing: 1.
    Product,
    /// Minimum. A NaN anywhere gives NaN; -0 is less than +0. Of nothing: the largest value of the type (+∞ for floats).
    Min,
    /// Maximum. A NaN anywhere gives NaN; -0 is less than +0. Of nothing: the smallest value of the type (-∞ for floats).
    Max,
}

impl Op {
    /// Every operator.
    pub const ALL: [Op; 4] = [Op::Sum, Op::Product, Op::Min, Op::Max];

    /// The name it has on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Op::Sum => "sum",
            Op::Product => "product",
            Op::Min => "min",
            Op::Max => "max",
        }
    }

    /// The operator over an element type; `None` where it is not defined for that type.
    pub fn over(self, element: Element) -> Option<Monoid> {
        let operator = match self {
            Op::Sum => Operator::Sum,
            Op::Product => Operator::Product,
            Op::Min => Operator::Min,
            Op::Max => Operator::Max,
        };
        let pair = operator.over(element)?;
        let mut types = format!("alias Acc = {};\n", pair.acc);
        types.extend(pair.definitions.iter().copied());
        let mut pieces = vec![("generated: types".to_owned(), Cow::Owned(types))];
        for name in [Some(pair.monoid()), pair.order].into_iter().flatten() {
            pieces.push((format!("shaders/{name}.wgsl"), Cow::Borrowed(shader::piece(name))));
        }
        let monoid = Monoid::analyse(self.name(), element, Arity::One, pair.elem, pieces)
            .expect("halofold's own operators are valid: a test composes them all");
        Some(monoid.with_subgroup(pair.subgroup))
    }
}
