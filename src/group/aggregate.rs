//! The results that a group can have, and the methods that ask for them.

use crate::element::Element;
use crate::gpu::error::Error;

/// A result of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregate {
    Count,
    Sum,
    Mean,
    Min,
    Max,
    Variance,
    SampleVariance,
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
            Aggregate::Variance => "variance",
            Aggregate::SampleVariance => "sample_variance",
        }
    }

    /// The type of the result of values of a type.
    pub(super) const fn result(self, values: Element) -> Element {
        match self {
            Aggregate::Count => Element::U32,
            Aggregate::Sum | Aggregate::Min | Aggregate::Max => values,
            Aggregate::Mean | Aggregate::Variance | Aggregate::SampleVariance => Element::F32,
        }
    }
}

/// The error of values, or of keys in any order, of a type that has no results by group.
pub(super) fn not_grouped(element: Element) -> Error {
    let message = format!("values or keys of {element}: results by group are of f32, u32 or i32");
    Error::setting("element", message)
}

/// Declares the methods of a description that ask for a result, over its own method `and`.
macro_rules! aggregates {
    ($description:ty) => {
        impl $description {
            /// Asks for the number of values, a `u32`.
            pub fn count(self) -> Self {
                self.and(Aggregate::Count)
            }

            /// Asks for the sum: of floats exact, rounded once; of integers modulo 2^32. Of an empty group it is 0.
            pub fn sum(self) -> Self {
                self.and(Aggregate::Sum)
            }

            /// Asks for the mean, an `f32`: the exact sum divided by the number of values, rounded once. Of an empty group it is NaN.
            pub fn mean(self) -> Self {
                self.and(Aggregate::Mean)
            }

            /// Asks for the minimum, by the rules of [`Op::Min`](crate::reduce::Op::Min). Of an empty group it is the largest value of the type, +∞ of
            /// floats.
            pub fn min(self) -> Self {
                self.and(Aggregate::Min)
            }

            /// Asks for the maximum, by the rules of [`Op::Max`](crate::reduce::Op::Max). Of an empty group it is the smallest value of the type, −∞ of
            /// floats.
            pub fn max(self) -> Self {
                self.and(Aggregate::Max)
            }

            /// Asks for the population variance, an `f32`: the sum of squared distances from the mean, divided by the number of values. It is exact,
            /// and rounded once. Of an empty group it is NaN, and of one with a value that is not finite.
            pub fn variance(self) -> Self {
                self.and(Aggregate::Variance)
            }

            /// Asks for the sample variance: the same divided by the number of values less one. NaN of fewer than two values.
            pub fn sample_variance(self) -> Self {
                self.and(Aggregate::SampleVariance)
            }
        }
    };
}
pub(super) use aggregates;
