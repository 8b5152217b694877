//! What can be asked of a file, and which operator of the library answers it.

use clap::ValueEnum;
use halofold::Element;
use halofold::reduce::Operator;

/// What to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Op {
    /// The sum.
    Sum,
    /// The smallest element.
    Min,
    /// The largest element.
    Max,
    /// The product.
    Product,
    /// The arithmetic mean.
    Mean,
}

impl Op {
    /// The name it has on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Op::Sum => "sum",
            Op::Min => "min",
            Op::Max => "max",
            Op::Product => "product",
            Op::Mean => "mean",
        }
    }

    /// What the GPU computes for it. As in NumPy, 32-bit integers add and multiply in 64 bits; a mean needs the sum
    /// of integers exactly.
    pub fn operator(self, element: Element) -> Operator {
        let narrow = matches!(element, Element::U32 | Element::I32);
        match self {
            Op::Min => Operator::Min,
            Op::Max => Operator::Max,
            Op::Sum if narrow => Operator::WideSum,
            Op::Mean if !element.is_float() => Operator::WideSum,
            Op::Sum | Op::Mean => Operator::Sum,
            Op::Product if narrow => Operator::WideProduct,
            Op::Product => Operator::Product,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_has_an_operator() {
        for &op in Op::value_variants() {
            assert_eq!(op.to_possible_value().unwrap().get_name(), op.name());
            for element in Element::ALL {
                assert!(op.operator(element).over(element).is_some(), "{} of {element}", op.name());
            }
        }
    }
}
