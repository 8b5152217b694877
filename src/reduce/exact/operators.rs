//! Operators that have exact sums: the numbers that each adds up, on the GPU and on the CPU.

use crate::element::Element;
use crate::reduce::exact::format::Format;
use crate::reduce::exact::state::{Seen, Term};
use crate::reduce::op::Op;

/// The exact sums of an operator over an element type.
pub(super) struct Row {
    pub(super) format: Format,
    /// The file of `shaders/` that makes numbers of elements.
    pub(super) numbers: &'static str,
    /// The number that the CPU makes of an element.
    pub(super) number: fn(Seen) -> Seen,
}

impl Row {
    /// Returns the row of an operator; `None` if it has no exact sums.
    pub(super) const fn of(op: Op, element: Element) -> Option<Row> {
        let (numbers, number): (_, fn(Seen) -> Seen) = match op {
            Op::Sum | Op::Mean => ("exact/operators/sum", Seen::itself),
            Op::Dot => ("exact/operators/dot", Seen::itself),
            Op::L1 => ("exact/operators/magnitudes", Seen::magnitude),
            _ => return None,
        };
        let format = match (op, element) {
            (Op::Dot, Element::F32) => Format::Product,
            (Op::Dot, _) => return None,
            (_, Element::F32 | Element::F16) => Format::Single,
            (_, Element::F64) => Format::Double,
            _ => return None,
        };
        Some(Row { format, numbers, number })
    }
}

impl Seen {
    /// The number of operators that add up the elements, or products of them.
    pub(super) fn itself(self) -> Seen {
        self
    }

    /// The magnitude. NaN has none, and stays.
    fn magnitude(self) -> Seen {
        match self {
            Seen::Nan => Seen::Nan,
            Seen::Infinity { .. } => Seen::Infinity { is_negative: false },
            Seen::Finite(term) => Seen::Finite(Term { is_negative: false, ..term }),
        }
    }
}

impl Format {
    /// The format of an operator's exact states over an element type; `None` where it has none.
    ///
    /// | operator | elements | result |
    /// |---|---|---|
    /// | sum, mean, l1 | f32, f16 | f32 |
    /// | sum, mean, l1 | f64 | f64 |
    /// | dot | f32 | f32 |
    pub const fn of(op: Op, element: Element) -> Option<Format> {
        match Row::of(op, element) {
            Some(row) => Some(row.format),
            None => None,
        }
    }
}
