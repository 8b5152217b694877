//! The results that a group can have.

use crate::element::Element;

/// A result of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregate {
    Count,
    Sum,
    Mean,
    Min,
    Max,
}

impl Aggregate {
    /// Its name in `shaders/group/finish.wgsl`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Aggregate::Count => "count",
            Aggregate::Sum => "sum",
            Aggregate::Mean => "mean",
            Aggregate::Min => "min",
            Aggregate::Max => "max",
        }
    }

    /// The type of the result of values of a type.
    pub(super) const fn result(self, element: Element) -> Element {
        match self {
            Aggregate::Count => Element::U32,
            Aggregate::Mean => Element::F32,
            Aggregate::Sum | Aggregate::Min | Aggregate::Max => element,
        }
    }
}
