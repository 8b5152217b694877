//! halofold's own operators: each is one row of a table and one WGSL file.

use crate::element::Element;
use crate::parse::by_name;
use crate::reduce::elem::Arity;
use crate::reduce::value::{Field, Format, Kind, Number, Scalar};

/// The element types that an operator is defined for.
#[derive(Clone, Copy)]
enum Domain {
    Any,
    Floats,
    Integers,
    Integers32,
}

/// Views of an operator's elements.
#[derive(Clone, Copy)]
enum Reads {
    /// As numbers.
    Values,
    /// Floats as bit patterns in signed integers, so that every GPU orders them in the same way.
    Bits,
    /// As numbers, one from each of two inputs.
    Pairs,
}

/// An operator's properties apart from its WGSL.
struct Row {
    domain: Domain,
    reads: Reads,
    /// The subgroup built-in for `combine`, if the accumulator is one number.
    subgroup: Option<&'static str>,
    /// The numbers of a result.
    format: Format,
    /// The type of the first one.
    kind: Kind,
}

/// The table of operators. Columns: documentation; variant and name (the file is
/// `shaders/operators/<name>.wgsl`); the element types it is defined for; how it reads them; the subgroup
/// built-in for `combine`; the result.
macro_rules! operators {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $domain:ident, $reads:ident, $subgroup:expr, $shape:ident($kind:ident);)*) => {
        /// An operator: what a [`Reduce`](crate::reduce::Reduce) computes.
        ///
        /// # Results by element type
        ///
        /// The table shows one result as it lies in the output buffer, in little-endian words. [`Op::read`]
        /// reads all of them. "–" means that the operator is not defined for the type.
        ///
        /// | operator | u32 | i32 | f32 | f16 | u64 | i64 | f64 |
        /// |---|---|---|---|---|---|---|---|
        /// | sum, product | u32 | i32 | f32 | f32 | u64 | i64 | f64 |
        /// | min, max | u32 | i32 | f32 | f32 | u64 | i64 | f64 |
        /// | min-max (two values) | 2 u32 | 2 i32 | 2 f32 | 2 f32 | 2 u64 | 2 i64 | 2 f64 |
        /// | arg-min, arg-max (value, index) | u32, u32 | i32, u32 | f32, u32 | f32, u32 | u64, u32 | i64, u32 | f64, u32 |
        /// | wide-sum | u64 | i64 | – | – | u64 halves | i64 halves | – |
        /// | wide-product | u64 | i64 | – | – | – | – | – |
        /// | mean | f32 from an exact sum | f32 from an exact sum | f32 | f32 | f64 from an exact sum | f64 from an exact sum | f64 |
        /// | variance … sample-std | f32 | f32 | f32 | f32 | f64 | f64 | f64 |
        /// | dot | u32 | i32 | f32 | f32 | u64 | i64 | f64 |
        /// | l1 | u64 | u64 | f32 | f32 | u64 halves | u64 halves | f64 |
        /// | l2 | f32 | f32 | f32 | f32 | f64 | f64 | f64 |
        /// | max-norm | u32 | u32 | f32 | f32 | u64 | u64 | f64 |
        /// | count, any, all | u32 | u32 | u32 | u32 | u32 | u32 | u32 |
        /// | and, or, xor | u32 | i32 | – | – | u64 | i64 | – |
        /// | log-sum-exp, geometric-mean | f32 | f32 | f32 | f32 | f64 | f64 | f64 |
        /// | covariance, correlation, weighted-mean, skewness, kurtosis | – | – | f32 | f32 | – | – | f64 |
        ///
        /// - A value and an index take 8 bytes, or 16 if the value has 64 bits. The value comes first, and
        ///   the index follows directly.
        /// - Halves are two 64-bit integers, the sum of the upper and the sum of the lower 32-bit halves: 2³²
        ///   times the first plus the second is the exact sum.
        /// - Operators that compare floats or look for zeros work on their bits as integers, so that NaN,
        ///   infinities and signed zeros give the same results on every GPU. For `f64` they use
        ///   [`wgpu::Features::SHADER_INT64`] if the device has it, and otherwise pairs of 32-bit words: they
        ///   need no feature. Means of 64-bit integers need `SHADER_INT64`.
        ///   Variance, deviation, L2 norm, log-sum-exp and geometric mean of 64-bit integers compute in
        ///   `f64`.
        /// - `l2`, `log-sum-exp` and `geometric-mean` convert each 32-bit integer to `f32` and each 64-bit
        ///   integer to `f64`. This conversion rounds large integers. `variance … sample-std` take 64-bit
        ///   integers as sums of two `f64`, exactly, and 32-bit integers from exact sums.
        /// - WGSL and the languages it is translated to have no exponential and no logarithm of 64-bit
        ///   floats. `log-sum-exp` and `geometric-mean` bring their own, of some 25 operations each and
        ///   accurate to two units in the last place. These also work on bits: `f64` needs both
        ///   `SHADER_INT64` and `SHADER_F64`.
        ///
        /// - Every operator takes up to 2³² - 1 elements. Each states its result for an empty input below.
        ///
        /// [`Monoid::features`](crate::reduce::Monoid::features) returns the features that a device needs. [`Monoid::acc_type`](crate::reduce::Monoid::acc_type) and
        /// [`Monoid::out_type`](crate::reduce::Monoid::out_type) return the WGSL types of the accumulator and of the result.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Op {
            $($(#[doc = $doc])+ $variant,)*
        }

        impl Op {
            /// All operators.
            pub const ALL: &[Op] = &[$(Op::$variant),*];

            /// The operator's name on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Op::$variant => $name,)*
                }
            }

            const fn row(self) -> Row {
                match self {
                    $(Op::$variant => Row {
                        domain: Domain::$domain,
                        reads: Reads::$reads,
                        subgroup: $subgroup,
                        format: Format::$shape,
                        kind: Kind::$kind,
                    },)*
                }
            }
        }
    };
}

operators! {
    /// Sum. Integers wrap. Empty input: 0.
    ///
    /// NaN and infinities propagate as in IEEE 754, unless the driver assumes that there are none, which WGSL permits and Metal does by default. This
    /// holds for all operators that compute with floats: sums, products, means, variances, dot products, and all norms except [`Op::MaxNorm`].
    Sum = "sum", Any, Values, Some("subgroupAdd"), One(Own);
    /// Product. Integers wrap. Empty input: 1.
    Product = "product", Any, Values, Some("subgroupMul"), One(Own);
    /// Minimum. A NaN anywhere gives NaN; -0 is less than +0. Empty input: the largest value of the type (+∞ for floats).
    Min = "min", Any, Bits, Some("subgroupMin"), One(Own);
    /// Maximum. A NaN anywhere gives NaN; -0 is less than +0. Empty input: the smallest value of the type (-∞ for floats).
    Max = "max", Any, Bits, Some("subgroupMax"), One(Own);
    /// [`Op::Min`] and [`Op::Max`] in one pass: the minimum, then the maximum.
    MinMax = "min-max", Any, Bits, None, Range(Own);
    /// The minimum and its index in the input or segment. Of equal elements it gives the first. -0 and +0 are equal here, as in NumPy, and their
    /// value is 0. If there are NaNs, it gives the first NaN. Empty input: the value of [`Op::Min`], and the index 2³² - 1.
    ArgMin = "arg-min", Any, Bits, None, At(Own);
    /// The maximum and its index. The rules are those of [`Op::ArgMin`].
    ArgMax = "arg-max", Any, Bits, None, At(Own);
    /// Sum of integers in twice their width. For 32-bit integers it is modulo 2^64, which 2³² - 1 elements
    /// cannot reach. For 64-bit integers it is exact. Empty input: 0.
    WideSum = "wide-sum", Integers, Values, None, One(Wide);
    /// Product of 32-bit integers modulo 2^64. Empty input: 1.
    WideProduct = "wide-product", Integers32, Values, None, One(Wide);
    /// Arithmetic mean. For integers it is correctly rounded, with identical bits on every GPU. Empty input: NaN.
    Mean = "mean", Any, Values, Some("subgroupAdd"), One(Real);
    /// Population variance: the mean squared distance from the mean. NaN if any element is infinite or NaN. Empty input: NaN.
    ///
    /// Floats take one pass, and partial results are merged pairwise. The mean has twice the width of the elements, so that no digits are lost where
    /// it is large beside the deviation, and squares are those of distances in a unit, so that only a result that the type does not hold overflows or
    /// vanishes. For 32-bit integers the sums are exact and are rounded only at the end.
    Variance = "variance", Any, Values, None, One(Real);
    /// Sample variance: divided by n - 1 instead of n. NaN for fewer than two elements.
    SampleVariance = "sample-variance", Any, Values, None, One(Real);
    /// Population standard deviation: the square root of [`Op::Variance`]. Empty input: NaN.
    Deviation = "std", Any, Values, None, One(Real);
    /// Sample standard deviation: the square root of [`Op::SampleVariance`]. NaN for fewer than two elements.
    SampleDeviation = "sample-std", Any, Values, None, One(Real);
    /// Dot product of two inputs, [`Both`](crate::reduce::Both). Integers wrap. Empty input: 0.
    Dot = "dot", Any, Pairs, Some("subgroupAdd"), One(Own);
    /// Sum of magnitudes. Exact for integers. Empty input: 0.
    L1 = "l1", Any, Values, Some("subgroupAdd"), One(Magnitudes);
    /// Square root of the sum of squares. Infinite if the sum of squares overflows the type of the accumulator. Empty input: 0.
    L2 = "l2", Any, Values, Some("subgroupAdd"), One(Real);
    /// The largest magnitude. A NaN anywhere gives NaN. Empty input: 0.
    MaxNorm = "max-norm", Any, Bits, Some("subgroupMax"), One(Unsigned);
    /// The number of nonzero elements. NaN counts as nonzero, -0 as zero. Empty input: 0.
    CountNonzero = "count-nonzero", Any, Bits, Some("subgroupAdd"), One(Flag);
    /// 1 if any element is nonzero, else 0. NaN counts as nonzero, -0 as zero. Empty input: 0.
    Any = "any", Any, Bits, Some("subgroupOr"), One(Flag);
    /// 1 if all elements are nonzero, else 0. NaN counts as nonzero, -0 as zero. Empty input: 1.
    All = "all", Any, Bits, Some("subgroupAnd"), One(Flag);
    /// Bitwise and. Empty input: all bits set.
    And = "and", Integers, Values, Some("subgroupAnd"), One(Own);
    /// Bitwise or. Empty input: 0.
    Or = "or", Integers, Values, Some("subgroupOr"), One(Own);
    /// Bitwise exclusive or. Empty input: 0.
    Xor = "xor", Integers, Values, Some("subgroupXor"), One(Own);
    /// log Σ exp(x), computed without overflow. NaN if any element is NaN; otherwise +∞ if any element is +∞.
    /// -∞ if all elements are -∞. Empty input: -∞.
    LogSumExp = "log-sum-exp", Any, Values, None, One(Real);
    /// Geometric mean: e to the power of the mean of the logarithms. A NaN or a number below zero gives NaN, and so do a zero and an infinity
    /// together. Otherwise a zero gives 0, and an infinity gives +∞. -0 and subnormal floats count as zero. Empty input: NaN.
    ///
    /// The relative error grows with the magnitude of the logarithms: elements near 2^100 lose two digits.
    GeometricMean = "geometric-mean", Any, Values, None, One(Real);
    /// Population covariance of two inputs, [`Both`](crate::reduce::Both): the mean product of the distances
    /// from their means. n / (n - 1) times it is the sample covariance. NaN if any element is infinite or NaN. Empty input: NaN.
    ///
    /// Partial results are merged pairwise, and means have half as many digits again as an element: a large mean costs none of the result's.
    /// Products are those of distances in units, so they neither vanish nor overflow before the result does.
    Covariance = "covariance", Floats, Pairs, None, One(Real);
    /// Pearson's correlation of two inputs: [`Op::Covariance`] divided by both standard deviations. NaN if an input is constant, and so if
    /// there are fewer than two elements.
    Correlation = "correlation", Floats, Pairs, None, One(Real);
    /// Mean of the first input with the second one as weights: Σ w x / Σ w. NaN if the weights add up to zero, as those of an empty input do.
    WeightedMean = "weighted-mean", Floats, Pairs, None, One(Real);
    /// Skewness: the mean third power of the distances from the mean, divided by the third power of the population deviation. NaN if
    /// all elements are equal, or if there are none. It does not depend on the scale: distances are measured in a unit that is merged along.
    Skewness = "skewness", Floats, Values, None, One(Real);
    /// Kurtosis less 3, which is that of a normal distribution: the mean fourth power of the distances from the mean, divided by the
    /// square of the population variance. The rules are those of [`Op::Skewness`].
    Kurtosis = "kurtosis", Floats, Values, None, One(Real);
}

impl Op {
    /// The type that its WGSL reads elements as.
    pub(super) const fn wgsl(self, element: Element) -> &'static str {
        match (self.row().reads, element) {
            (Reads::Bits, Element::F32) => "i32",
            (Reads::Bits, Element::F64) => "i64",
            _ => element.name(),
        }
    }

    /// The subgroup built-in for `combine`, if the accumulator is one number.
    pub(super) const fn subgroup(self) -> Option<&'static str> {
        self.row().subgroup
    }

    /// Returns true if the operator compares 64-bit floats by their bits, which takes no 64-bit integers.
    pub(super) const fn compares_in_words(self, element: Element) -> bool {
        matches!((self.row().reads, element), (Reads::Bits, Element::F64))
    }

    /// The number of inputs.
    pub const fn arity(self) -> Arity {
        if matches!(self.row().reads, Reads::Pairs) { Arity::Two } else { Arity::One }
    }

    /// Returns true if the operator is defined for an element type.
    pub const fn is_over(self, element: Element) -> bool {
        self.row().domain.contains(element)
    }

    /// The type of the first number of a result.
    pub(super) const fn number(self, element: Element) -> Number {
        self.row().kind.of(element)
    }

    /// The layout in memory of a result over an element type.
    pub(super) fn fields(self, element: Element) -> Vec<Field> {
        self.row().format.fields(self.number(element))
    }

    /// Converts the bytes of an output buffer, as [`read`](mod@crate::read) returns them, to results, in order, for any shape. Bytes after the last
    /// whole result are ignored. An operator that is not defined for the element type has no results.
    pub fn read(self, element: Element, bytes: &[u8]) -> Vec<Scalar> {
        if self.is_over(element) { self.row().format.read(self.number(element), bytes) } else { Vec::new() }
    }
}

impl Domain {
    const fn contains(self, element: Element) -> bool {
        match self {
            Domain::Any => true,
            Domain::Floats => element.is_float(),
            Domain::Integers => !element.is_float(),
            Domain::Integers32 => !element.is_float() && element.size() == 4,
        }
    }
}

by_name!(Op, "operator", "operators");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_defined_for_suitable_types_only() {
        let defined = |op: Op| Element::ALL.into_iter().filter(move |element| op.is_over(*element));
        for &op in Op::ALL {
            let count = match op {
                Op::WideSum | Op::And | Op::Or | Op::Xor => 4,
                Op::WideProduct => 2,
                Op::Covariance | Op::Correlation | Op::WeightedMean | Op::Skewness | Op::Kurtosis => 3,
                _ => 7,
            };
            assert_eq!(defined(op).count(), count, "{op}");
        }
        assert!(Op::And.over(Element::F32).is_err() && Op::And.read(Element::F32, &[0; 4]).is_empty());
    }

    #[test]
    fn operators_that_are_one_atomic_operation_accumulate() {
        use Element::*;
        let integers = vec![U32, I32, I64, U64];
        for &op in Op::ALL {
            let has_atomic = |element: &Element| op.over(*element).is_ok_and(|m| m.accumulates().is_some());
            let found: Vec<_> = Element::ALL.into_iter().filter(has_atomic).collect();
            let expected = match op {
                Op::Sum | Op::Dot => vec![U32, I32, F32, I64, U64, F16],
                Op::L1 => vec![F32, F16],
                Op::Min | Op::Max | Op::MaxNorm | Op::And | Op::Or | Op::Xor => integers.clone(),
                Op::CountNonzero | Op::Any | Op::All => Element::ALL.to_vec(),
                _ => Vec::new(),
            };
            assert_eq!(found, expected, "{op}");
        }
    }

    #[test]
    fn the_table_of_types_is_right() {
        for (op, element, acc, out, size) in [
            (Op::ArgMin, Element::F32, "Acc", "Out", 8),
            (Op::ArgMax, Element::F64, "Acc", "Out", 16),
            (Op::MinMax, Element::F64, "vec2<i64>", "vec2<i64>", 16),
            (Op::Mean, Element::I64, "vec2<i64>", "u64", 8),
            (Op::Mean, Element::U32, "vec2<u32>", "u32", 4),
            (Op::L1, Element::I64, "vec2<u64>", "vec2<u64>", 16),
            (Op::Sum, Element::F16, "f32", "f32", 4),
        ] {
            let monoid = op.over(element).unwrap();
            assert_eq!((monoid.acc_type(), monoid.out_type(), monoid.out_size()), (acc, out, size), "{op}");
        }
    }
}
