//! Operators, and what an operator makes of an element type.
//!
//! [`Operator`] is a name. [`Accumulator`] is the record of one (operator, element) pair: the types it
//! has in WGSL, the pieces of shader text that define `map`, `identity`, `combine` and `finish`, the
//! features it needs, and whether the hardware has a subgroup operation or an atomic for it. Kernels and
//! plans look only at the record.

use std::fmt;
use std::str::FromStr;

use wgpu::Features;

use crate::element::Element;

/// What a reduction computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Operator {
    /// Sum. Integers wrap. Of nothing: 0.
    Sum,
    /// Product. Integers wrap. Of nothing: 1.
    Product,
    /// Minimum. A NaN anywhere gives NaN; -0 is less than +0. Of nothing: the largest value of the type (+∞ for floats).
    Min,
    /// Maximum. A NaN anywhere gives NaN; -0 is less than +0. Of nothing: the smallest value of the type (-∞ for floats).
    Max,
    /// Sum of integers in twice their width: of 32-bit ones modulo 2^64, of 64-bit ones exact.
    WideSum,
    /// Product of 32-bit integers modulo 2^64.
    WideProduct,
}

impl Operator {
    /// Every operator.
    pub const ALL: [Operator; 6] = [
        Operator::Sum,
        Operator::Product,
        Operator::Min,
        Operator::Max,
        Operator::WideSum,
        Operator::WideProduct,
    ];

    /// The name it has on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Operator::Sum => "sum",
            Operator::Product => "product",
            Operator::Min => "min",
            Operator::Max => "max",
            Operator::WideSum => "wide-sum",
            Operator::WideProduct => "wide-product",
        }
    }

    /// What it makes of an element type; `None` where it is not defined for that type.
    pub fn over(self, element: Element) -> Option<Accumulator> {
        Accumulator::of(self, element)
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no operator.
#[derive(Clone, Debug, thiserror::Error)]
#[error("unknown operator `{0}`; the operators are sum, product, min, max, wide-sum, wide-product")]
pub struct UnknownOperator(String);

impl FromStr for Operator {
    type Err = UnknownOperator;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Operator::ALL
            .into_iter()
            .find(|operator| operator.name() == name)
            .ok_or_else(|| UnknownOperator(name.to_owned()))
    }
}

/// How an operator's results meet in one atomic word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicWord {
    /// The word's type: `u32`, `i32`, `f32`, `u64` or `i64`.
    pub word: &'static str,
    /// The built-in that does it in one step, or `None` for a compare-exchange loop on the bits.
    pub native: Option<&'static str>,
    /// What the device needs for it.
    pub features: Features,
}

/// One operator over one element type.
///
/// Floats have a documented accumulator: `f16` accumulates in `f32`, and minima and maxima of floats
/// work on bit patterns as integers, which makes NaN, infinities and signed zeros come out the same on
/// every GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accumulator {
    /// The operator.
    pub operator: Operator,
    /// The element type.
    pub element: Element,
    /// What the input binding is an array of, in WGSL.
    pub elem: &'static str,
    /// The accumulator's type in WGSL.
    pub acc: &'static str,
    /// Bytes one accumulator takes in a buffer.
    pub size: u64,
    /// The piece that takes an accumulator apart into 32-bit words.
    pub(crate) words: &'static str,
    /// The subgroup built-in for `combine`, where there is one.
    pub subgroup: Option<&'static str>,
    /// Definitions that the operator's piece refers to.
    pub(crate) definitions: &'static [&'static str],
    /// The piece that orders elements, for minima and maxima.
    pub(crate) order: Option<&'static str>,
}

impl Accumulator {
    fn of(operator: Operator, element: Element) -> Option<Self> {
        let (elem, acc, definitions, order) = match operator {
            Operator::Sum | Operator::Product => {
                let acc = if element == Element::F16 { Element::F32 } else { element };
                (element.name(), acc.name(), [].as_slice(), None)
            }
            Operator::Min | Operator::Max => ordered(element),
            Operator::WideSum => wide(element, true)?,
            Operator::WideProduct => wide(element, false)?,
        };
        let (size, words) = match acc {
            "vec2<u32>" => (8, "words/pair"),
            "vec2<i64>" | "vec2<u64>" => (16, "words/pair_wide"),
            "f64" | "i64" | "u64" => (8, "words/two"),
            _ => (4, "words/one"),
        };
        let subgroup = match operator {
            Operator::Sum => Some("subgroupAdd"),
            Operator::Product => Some("subgroupMul"),
            Operator::Min => Some("subgroupMin"),
            Operator::Max => Some("subgroupMax"),
            Operator::WideSum | Operator::WideProduct => None,
        };
        Some(Accumulator { operator, element, elem, acc, size, words, subgroup, definitions, order })
    }

    /// The piece that defines the operator's quartet.
    pub(crate) fn monoid(&self) -> &'static str {
        match self.operator {
            Operator::Sum => "monoid/sum",
            Operator::Product => "monoid/product",
            Operator::Min => "monoid/min",
            Operator::Max => "monoid/max",
            Operator::WideSum if self.size == 16 => "monoid/split_sum",
            Operator::WideSum => "monoid/wide_sum",
            Operator::WideProduct => "monoid/wide_product",
        }
    }

    /// Whether `finish` does anything: only ordered floats are not already their own result.
    pub(crate) fn needs_finish(&self) -> bool {
        self.order == Some("monoid/order_float")
    }

    /// What the device needs to run this pair at all.
    pub fn features(&self) -> Features {
        let mut features = Features::empty();
        for (word, feature) in [
            ("f64", Features::SHADER_F64),
            ("i64", Features::SHADER_INT64),
            ("u64", Features::SHADER_INT64),
            ("f16", Features::SHADER_F16),
        ] {
            if self.elem.contains(word) || self.acc.contains(word) {
                features |= feature;
            }
        }
        features
    }

    /// What is needed besides to move it in 32-bit words, between lanes or workgroups: 64-bit ones are taken apart as integers.
    pub fn word_features(&self) -> Features {
        if self.words == "words/two" || self.words == "words/pair_wide" {
            Features::SHADER_INT64
        } else {
            Features::empty()
        }
    }

    /// How results meet in one atomic word on a device with these features; `None` where no word is wide enough.
    pub fn atomic(&self, available: Features) -> Option<AtomicWord> {
        let native = match self.operator {
            Operator::Sum => Some("atomicAdd"),
            Operator::Min => Some("atomicMin"),
            Operator::Max => Some("atomicMax"),
            _ => None,
        };
        let (word, native, features) = match (self.acc, native) {
            ("u32", native) => ("u32", native, Features::empty()),
            ("i32", native) => ("i32", native, Features::empty()),
            ("f32", Some("atomicAdd")) if available.contains(Features::SHADER_FLOAT32_ATOMIC) => {
                ("f32", Some("atomicAdd"), Features::SHADER_FLOAT32_ATOMIC)
            }
            ("f32", _) => ("u32", None, Features::empty()),
            ("i64", native) => ("i64", native, Features::SHADER_INT64_ATOMIC_ALL_OPS),
            ("u64", native) => ("u64", native, Features::SHADER_INT64_ATOMIC_ALL_OPS),
            ("f64", _) => ("u64", None, Features::SHADER_INT64 | Features::SHADER_INT64_ATOMIC_ALL_OPS),
            _ => return None,
        };
        Some(AtomicWord { word, native, features })
    }
}

/// WGSL types of element and accumulator, definitions, and the piece that orders elements.
pub(crate) type Types = (&'static str, &'static str, &'static [&'static str], Option<&'static str>);

pub(crate) const KEYS_32: &str = "\
alias Key = i32;
const SIGN_BIT: u32 = 31u;
const INFINITY: i32 = 0x7f800000i;
const NOT_A_NUMBER: i32 = 0x7fc00000i;
fn highest() -> Key { return 0x7fffffffi; }
";
pub(crate) const KEYS_64: &str = "\
alias Key = i64;
const SIGN_BIT: u32 = 63u;
const INFINITY: i64 = 0x7ff0000000000000li;
const NOT_A_NUMBER: i64 = 0x7ff8000000000000li;
fn highest() -> Key { return 0x7fffffffffffffffli; }
";
pub(crate) const BITS_AS_THEY_ARE: &str = "fn bits(elem: Elem) -> Key { return elem; }\n";
pub(crate) const BITS_OF_HALF: &str = "fn bits(elem: Elem) -> Key { return bitcast<i32>(f32(elem)); }\n";

/// Minima and maxima: integers as they are, floats as keys.
pub(crate) fn ordered(element: Element) -> Types {
    const INTEGER: Option<&str> = Some("monoid/order_integer");
    const FLOAT: Option<&str> = Some("monoid/order_float");
    match element {
        Element::U32 => {
            ("u32", "u32", &["alias Key = u32;\nfn highest() -> Key { return 0xffffffffu; }\n"], INTEGER)
        }
        Element::I32 => {
            ("i32", "i32", &["alias Key = i32;\nfn highest() -> Key { return 0x7fffffffi; }\n"], INTEGER)
        }
        Element::U64 => (
            "u64",
            "u64",
            &["alias Key = u64;\nfn highest() -> Key { return 0xfffffffffffffffflu; }\n"],
            INTEGER,
        ),
        Element::I64 => (
            "i64",
            "i64",
            &["alias Key = i64;\nfn highest() -> Key { return 0x7fffffffffffffffli; }\n"],
            INTEGER,
        ),
        Element::F32 => ("i32", "i32", &[KEYS_32, BITS_AS_THEY_ARE], FLOAT),
        Element::F16 => ("f16", "i32", &[KEYS_32, BITS_OF_HALF], FLOAT),
        Element::F64 => ("i64", "i64", &[KEYS_64, BITS_AS_THEY_ARE], FLOAT),
    }
}

/// What a 32-bit element adds to a sum in two words.
pub(crate) const WIDEN_U32: &str = "fn widen(elem: Elem) -> Acc { return Acc(elem, 0u); }\n";
pub(crate) const WIDEN_I32: &str =
    "fn widen(elem: Elem) -> Acc { return Acc(bitcast<u32>(elem), bitcast<u32>(elem >> 31u)); }\n";
/// What a 64-bit element adds to a sum in two halves.
pub(crate) const WIDEN_U64: &str =
    "fn widen(elem: Elem) -> Acc { return Acc(elem >> 32u, elem & 0xfffffffflu); }\n";
pub(crate) const WIDEN_I64: &str =
    "fn widen(elem: Elem) -> Acc { return Acc(elem >> 32u, elem & 0xffffffffli); }\n";
/// Accumulators that are their own results.
const AS_IT_IS: &str = "fn finish(acc: Acc, n: u32) -> Acc { return acc; }\n";

/// Twice the width: 32-bit integers in two words, sums of 64-bit ones in two halves.
fn wide(element: Element, sum: bool) -> Option<Types> {
    match (element, sum) {
        (Element::U32, true) => Some(("u32", "vec2<u32>", &[WIDEN_U32, AS_IT_IS], None)),
        (Element::I32, true) => Some(("i32", "vec2<u32>", &[WIDEN_I32, AS_IT_IS], None)),
        (Element::U64, true) => Some(("u64", "vec2<u64>", &[WIDEN_U64, AS_IT_IS], None)),
        (Element::I64, true) => Some(("i64", "vec2<i64>", &[WIDEN_I64, AS_IT_IS], None)),
        (Element::U32, false) => Some(("u32", "vec2<u32>", &[WIDEN_U32], None)),
        (Element::I32, false) => Some(("i32", "vec2<u32>", &[WIDEN_I32], None)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for operator in Operator::ALL {
            assert_eq!(operator.name().parse::<Operator>().unwrap(), operator);
        }
        assert!("mean".parse::<Operator>().unwrap_err().to_string().contains("wide-product"));
    }

    #[test]
    fn every_classic_operator_takes_every_element() {
        for element in Element::ALL {
            for operator in [Operator::Sum, Operator::Product, Operator::Min, Operator::Max] {
                assert!(operator.over(element).is_some(), "{operator} of {element}");
            }
        }
        assert!(Operator::WideSum.over(Element::F32).is_none());
        assert!(Operator::WideProduct.over(Element::I64).is_none());
    }

    #[test]
    fn extrema_of_doubles_need_integers_only() {
        let record = Operator::Max.over(Element::F64).unwrap();
        assert_eq!(record.features(), Features::SHADER_INT64);
        assert_eq!(Operator::Sum.over(Element::F64).unwrap().features(), Features::SHADER_F64);
    }

    #[test]
    fn atomics_fall_back_to_compare_exchange() {
        let sum = Operator::Sum.over(Element::F32).unwrap();
        assert_eq!(sum.atomic(Features::empty()).unwrap().native, None);
        assert_eq!(sum.atomic(Features::SHADER_FLOAT32_ATOMIC).unwrap().native, Some("atomicAdd"));
        assert!(Operator::WideSum.over(Element::I32).unwrap().atomic(Features::all()).is_none());
    }
}
