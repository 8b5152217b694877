//! The operators that halofold knows: one row and one file of WGSL each.

use std::fmt;
use std::str::FromStr;

use crate::element::Element;
use crate::reduce::monoid::{Arity, Elem, Monoid, MonoidError};
use crate::reduce::value::{Answer, Field, Format, Kind};
use crate::shader::Composer;

/// The element types an operator is defined for.
#[derive(Clone, Copy)]
enum Domain {
    Any,
    Integers,
    Integers32,
}

/// How an operator reads elements.
#[derive(Clone, Copy, PartialEq)]
enum Reads {
    /// As the numbers they are.
    Values,
    /// Floats as their bit patterns, in signed integers, so that every GPU orders them alike.
    Bits,
    /// As numbers, one of each of two inputs.
    Pairs,
}

/// An operator's properties beside its WGSL.
struct Row {
    domain: Domain,
    reads: Reads,
    /// The subgroup built-in for `combine`, where the accumulator is one number.
    subgroup: Option<&'static str>,
    /// How results lie in memory.
    format: Format<Kind>,
}

/// The one table of operators: documentation; variant and name (its file is `shaders/operators/<name>.wgsl`); the elements it is
/// defined for, how it reads them, the subgroup built-in for `combine`, what a result is.
macro_rules! operators {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $domain:ident, $reads:ident, $subgroup:tt, $shape:ident($kind:ident);)*) => {
        /// What a [`Reducer`](crate::reduce::Reducer) computes.
        ///
        /// # Results by element type
        ///
        /// What one result looks like in the output buffer (little-endian words, as the GPU leaves them), and what is
        /// accumulated on the way where that is another type. [`Op::read`] reads all of them. "–": not defined.
        ///
        /// | operator | u32 | i32 | f32 | f16 | u64 | i64 | f64 |
        /// |---|---|---|---|---|---|---|---|
        /// | sum, product | u32 | i32 | f32 | f32 | u64 | i64 | f64 |
        /// | min, max | u32 | i32 | f32 | f32 | u64 | i64 | f64 |
        /// | min-max (two values) | 2 u32 | 2 i32 | 2 f32 | 2 f32 | 2 u64 | 2 i64 | 2 f64 |
        /// | arg-min, arg-max (value, index) | u32, u32 | i32, u32 | f32, u32 | f32, u32 | u64, u32 | i64, u32 | f64, u32 |
        /// | wide-sum | u64 | i64 | – | – | u64 halves | i64 halves | – |
        /// | wide-product | u64 | i64 | – | – | – | – | – |
        /// | mean | f32 of an exact sum | f32 of an exact sum | f32 | f32 | f64 of an exact sum | f64 of an exact sum | f64 |
        /// | variance … sample-std | f32 | f32 | f32 | f32 | f64 | f64 | f64 |
        /// | dot | u32 | i32 | f32 | f32 | u64 | i64 | f64 |
        /// | l1 | u64 | u64 | f32 | f32 | u64 halves | u64 halves | f64 |
        /// | l2 | f32 | f32 | f32 | f32 | f64 | f64 | f64 |
        /// | max-norm | u32 | u32 | f32 | f32 | u64 | u64 | f64 |
        /// | count, any, all | u32 | u32 | u32 | u32 | u32 | u32 | u32 |
        /// | and, or, xor | u32 | i32 | – | – | u64 | i64 | – |
        /// | log-sum-exp, geometric-mean | f32 | f32 | f32 | f32 | f64 | f64 | f64 |
        ///
        /// - A value and an index take 8 bytes, or 16 where the value has 64 bits: the value first, the index right behind it.
        /// - Halves are two 64-bit integers, the sum of the upper and the sum of the lower 32-bit halves: 2³² times the first plus
        ///   the second is the exact sum.
        /// - Whatever compares floats or looks for zeros works on their bits as integers, so that NaN, infinities and signed zeros
        ///   come out the same on every GPU: `f64` then needs [`wgpu::Features::SHADER_INT64`], not `SHADER_F64`. So do
        ///   means of 64-bit integers. Variance, deviation, L2 norm, log-sum-exp and geometric mean of 64-bit integers compute
        ///   in `f64`.
        /// - `l2`, `log-sum-exp` and `geometric-mean` convert each 32-bit integer to `f32`, each 64-bit one to `f64`; so does
        ///   `variance … sample-std` of 64-bit ones: large ones are rounded once more. Variances of 32-bit integers come from exact sums.
        /// - No language of GPUs has an exponential or a logarithm of 64-bit floats: `log-sum-exp` and `geometric-mean` bring their own,
        ///   of some 25 operations and right to two units in the last place. They work on bits, too: `f64` needs `SHADER_INT64` besides `SHADER_F64`.
        ///
        /// - Every operator takes any number of elements up to 2³² - 1, and says below what it makes of none.
        ///
        /// [`Monoid::features`] says what a device needs, [`Monoid::acc_type`] and [`Monoid::out_type`] the types in WGSL.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Op {
            $($(#[doc = $doc])+ $variant,)*
        }

        impl Op {
            /// Every operator.
            pub const ALL: &[Op] = &[$(Op::$variant),*];

            /// The name it has on the command line.
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
                        subgroup: subgroup!($subgroup),
                        format: Format::$shape(Kind::$kind),
                    },)*
                }
            }
        }
    };
}

macro_rules! subgroup {
    (none) => {
        None
    };
    ($call:literal) => {
        Some($call)
    };
}

operators! {
    /// Sum. Integers wrap. Empty input: 0.
    ///
    /// As in everything that computes with floats (products, means, variances, norms but [`Op::MaxNorm`], dot products), NaN and
    /// infinities go through as in IEEE 754 unless the driver takes WGSL's leave to assume that there are none, as Metal's does by default.
    Sum = "sum", Any, Values, "subgroupAdd", One(Own);
    /// Product. Integers wrap. Empty input: 1.
    Product = "product", Any, Values, "subgroupMul", One(Own);
    /// Minimum. A NaN anywhere gives NaN; -0 is less than +0. Empty input: the largest value of the type (+∞ for floats).
    Min = "min", Any, Bits, "subgroupMin", One(Own);
    /// Maximum. A NaN anywhere gives NaN; -0 is less than +0. Empty input: the smallest value of the type (-∞ for floats).
    Max = "max", Any, Bits, "subgroupMax", One(Own);
    /// [`Op::Min`] and [`Op::Max`] in one pass: the minimum, then the maximum.
    MinMax = "min-max", Any, Bits, none, Range(Own);
    /// The minimum and where it is, counted within the input or segment. Of equal ones the first; -0 is less than +0; with
    /// NaNs the first NaN. Empty input: [`Op::Min`]'s, and the index 2³² - 1.
    ArgMin = "arg-min", Any, Bits, none, At(Own);
    /// The maximum and where it is: as [`Op::ArgMin`].
    ArgMax = "arg-max", Any, Bits, none, At(Own);
    /// Sum of integers in twice their width: of 32-bit ones modulo 2^64, which they do not reach; of 64-bit ones exact. Empty input: 0.
    WideSum = "wide-sum", Integers, Values, none, One(Wide);
    /// Product of 32-bit integers modulo 2^64. Empty input: 1.
    WideProduct = "wide-product", Integers32, Values, none, One(Wide);
    /// Arithmetic mean. Of integers it is correctly rounded, the same bits on every GPU. Empty input: NaN.
    Mean = "mean", Any, Values, "subgroupAdd", One(Real);
    /// Variance of the elements themselves: the mean square around their mean. NaN of an empty input, or with an infinity or NaN.
    ///
    /// Of floats one pass, merged pairwise: where the mean is large beside the deviation, digits are lost in proportion (2.4e-4 of the
    /// variance at a mean of 1e5 and a deviation of 0.6); `f32` needs differences whose squares fit. Of 32-bit integers exact sums, rounded at the end.
    Variance = "variance", Any, Values, none, One(Real);
    /// Variance of what the elements are a sample of: divided by n - 1 instead of n. NaN of fewer than two elements.
    SampleVariance = "sample-variance", Any, Values, none, One(Real);
    /// Standard deviation: the root of [`Op::Variance`]. Empty input: NaN.
    Deviation = "std", Any, Values, none, One(Real);
    /// Standard deviation of a sample: the root of [`Op::SampleVariance`]. NaN of fewer than two elements.
    SampleDeviation = "sample-std", Any, Values, none, One(Real);
    /// Dot product of two inputs, for [`Reduction::and`](crate::reduce::Reduction::and). Integers wrap. Empty input: 0.
    Dot = "dot", Any, Pairs, "subgroupAdd", One(Own);
    /// Sum of magnitudes. Of integers exact. Empty input: 0.
    L1 = "l1", Any, Values, "subgroupAdd", One(Magnitudes);
    /// Root of the sum of squares; infinite where the squares' sum leaves the type it is accumulated in. Empty input: 0.
    L2 = "l2", Any, Values, "subgroupAdd", One(Real);
    /// The largest magnitude. A NaN anywhere gives NaN. Empty input: 0.
    MaxNorm = "max-norm", Any, Bits, "subgroupMax", One(Unsigned);
    /// How many elements are not zero. NaN is not, -0 is. Empty input: 0.
    Count = "count", Any, Bits, "subgroupAdd", One(Flag);
    /// 1 if any element is not zero, else 0. NaN is not, -0 is. Empty input: 0.
    Any = "any", Any, Bits, "subgroupOr", One(Flag);
    /// 1 if no element is zero, else 0. NaN is not, -0 is. Empty input: 1.
    All = "all", Any, Bits, "subgroupAnd", One(Flag);
    /// The bits that all integers have. Empty input: all.
    And = "and", Integers, Values, "subgroupAnd", One(Own);
    /// The bits that some integer has. Empty input: none.
    Or = "or", Integers, Values, "subgroupOr", One(Own);
    /// The bits that an odd number of integers has. Empty input: none.
    Xor = "xor", Integers, Values, "subgroupXor", One(Own);
    /// log Σ exp(x), without overflow. NaN with a NaN, else +∞ with a +∞. -∞ if the input is empty or all -∞.
    LogSumExp = "log-sum-exp", Any, Values, none, One(Real);
    /// Geometric mean: e to the mean of the logarithms. A NaN or a number below zero gives NaN, and so do a zero and an infinity
    /// together; else a zero gives 0, an infinity +∞. -0 is a zero, and so are floats too small to be normal. Empty input: NaN.
    ///
    /// The error is relative and grows with the size of the logarithms: elements near 2^100 lose two digits.
    GeometricMean = "geometric-mean", Any, Values, none, One(Real);
}

impl Op {
    /// The operator over an element type. Parses and checks the operator's WGSL on the CPU, in well under a millisecond.
    ///
    /// # Errors
    ///
    /// [`MonoidError::Undefined`] if [`Op::is_over`] says that there is none.
    pub fn over(self, element: Element) -> Result<Monoid, MonoidError> {
        if !self.is_over(element) {
            return Err(MonoidError::Undefined { op: self, element });
        }
        let row = self.row();
        let arity = if row.reads == Reads::Pairs { Arity::Two } else { Arity::One };
        let wgsl = match (row.reads, element) {
            (Reads::Bits, Element::F32) => "i32",
            (Reads::Bits, Element::F64) => "i64",
            _ => element.name(),
        };
        let file = format!("operators/{}", self.name().replace('-', "_"));
        let pieces = element.defines(Composer::default()).pieces(&file);
        let monoid = Monoid::analyse(self.name(), Elem::Number { element, wgsl }, arity, pieces)?;
        Ok(monoid.known_as(self, row.subgroup))
    }

    /// Whether the operator is defined for an element type.
    pub const fn is_over(self, element: Element) -> bool {
        self.row().domain.contains(element)
    }

    /// How a result over an element type lies in memory.
    pub(super) fn fields(self, element: Element) -> Vec<Field> {
        self.row().format.of(element).fields()
    }

    /// The results in the bytes of an output buffer, in order: of any shape, as [`read`](mod@crate::read) brings them to the host.
    /// Bytes behind the last whole result are left out; an operator that is not defined for the element has none.
    pub fn read(self, element: Element, bytes: &[u8]) -> Vec<Answer> {
        let row = self.row();
        if row.domain.contains(element) { row.format.of(element).read(bytes) } else { Vec::new() }
    }
}

impl Domain {
    const fn contains(self, element: Element) -> bool {
        match self {
            Domain::Any => true,
            Domain::Integers => !element.is_float(),
            Domain::Integers32 => !element.is_float() && element.size() == 4,
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no operator.
#[derive(Clone, Debug, thiserror::Error)]
#[error("unknown operator `{0}`; the operators are {names}", names = Op::ALL.iter().map(|op| op.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownOp(String);

impl FromStr for Op {
    type Err = UnknownOp;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Op::ALL.iter().copied().find(|op| op.name() == name).ok_or_else(|| UnknownOp(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for op in Op::ALL {
            assert_eq!(op.name().parse::<Op>().unwrap(), *op);
        }
        assert!("median".parse::<Op>().unwrap_err().to_string().contains("sum, product"));
    }

    #[test]
    fn formats_are_as_large_as_results() {
        for &op in Op::ALL {
            for element in Element::ALL {
                let Ok(monoid) = op.over(element) else { continue };
                let size = monoid.out_size() as usize;
                assert_eq!(op.read(element, &vec![0; 3 * size]).len(), 3, "{op} of {element}");
                assert_eq!(op.read(element, &vec![0; 3 * size - 1]).len(), 2, "{op} of {element}");
            }
        }
    }

    #[test]
    fn where_operators_make_no_sense_there_are_none() {
        let defined = |op: Op| Element::ALL.into_iter().filter(move |element| op.is_over(*element));
        for &op in Op::ALL {
            let count = match op {
                Op::WideSum | Op::And | Op::Or | Op::Xor => 4,
                Op::WideProduct => 2,
                _ => 7,
            };
            assert_eq!(defined(op).count(), count, "{op}");
        }
        assert!(Op::And.over(Element::F32).is_err() && Op::And.read(Element::F32, &[0; 4]).is_empty());
    }

    #[test]
    fn what_one_atomic_operation_does_accumulates() {
        use Element::*;
        let integers = vec![U32, I32, I64, U64];
        for &op in Op::ALL {
            let has_atomic = |element: &Element| op.over(*element).is_ok_and(|m| m.accumulates().is_some());
            let found: Vec<_> = Element::ALL.into_iter().filter(has_atomic).collect();
            let expected = match op {
                Op::Sum | Op::Dot => vec![U32, I32, F32, I64, U64, F16],
                Op::L1 => vec![F32, F16],
                Op::Min | Op::Max | Op::MaxNorm | Op::And | Op::Or | Op::Xor => integers.clone(),
                Op::Count | Op::Any | Op::All => Element::ALL.to_vec(),
                _ => Vec::new(),
            };
            assert_eq!(found, expected, "{op}");
        }
    }

    #[test]
    fn the_table_of_types_is_right() {
        let types = |op: Op, element| {
            let monoid = op.over(element).unwrap();
            (monoid.acc_type().to_owned(), monoid.out_type().to_owned(), monoid.out_size())
        };
        let expect = |acc: &str, out: &str, size| (acc.to_owned(), out.to_owned(), size);
        assert_eq!(types(Op::ArgMin, Element::F32), expect("Acc", "Out", 8));
        assert_eq!(types(Op::ArgMax, Element::F64), expect("Acc", "Out", 16));
        assert_eq!(types(Op::MinMax, Element::F64), expect("vec2<i64>", "vec2<i64>", 16));
        assert_eq!(types(Op::Mean, Element::I64), expect("vec2<i64>", "u64", 8));
        assert_eq!(types(Op::Mean, Element::U32), expect("vec2<u32>", "u32", 4));
        assert_eq!(types(Op::L1, Element::I64), expect("vec2<u64>", "vec2<u64>", 16));
        assert_eq!(types(Op::Sum, Element::F16), expect("f32", "f32", 4));
    }
}
