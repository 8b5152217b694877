//! Operators that a file can be reduced by, and the types of their results.

use std::ffi::OsStr;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command};
use halofold::reduce::{Arity, Op};
use halofold::{Element, Value};

use super::dtype;
use crate::files::Stored;

/// The operators that come first wherever all are named.
const USUAL: [Op; 5] = [Op::Sum, Op::Min, Op::Max, Op::Product, Op::Mean];

/// Other words for quantiles, by a part of them.
const QUANTILES: [&str; 3] = ["quantile", "quartile", "percentile"];

/// An operator of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// One of the library's reductions.
    Reduction(Op),
    /// The middle element in order, or the mean of the middle two.
    Median,
    /// The quantiles that are named, each a result.
    Quantile,
    /// The largest elements, or the smallest, and their places.
    Top,
}

impl Asked {
    /// The reduction, if it is one.
    pub fn reduction(self) -> Option<Op> {
        if let Asked::Reduction(op) = self { Some(op) } else { None }
    }
}

impl FromStr for Asked {
    type Err = <Op as FromStr>::Err;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "median" => Ok(Asked::Median),
            "quantile" => Ok(Asked::Quantile),
            "top" => Ok(Asked::Top),
            name => name.parse().map(Asked::Reduction),
        }
    }
}

/// Reads the name of an operator; where it is none, the message lists them.
pub fn parser() -> impl TypedValueParser<Value = Asked> {
    let others = Op::ALL.iter().copied().filter(|op| !USUAL.contains(op));
    let names = USUAL.into_iter().chain(others).map(Op::name).chain(["median", "quantile", "top"]);
    Names(PossibleValuesParser::new(names)).try_map(|name| name.parse::<Asked>())
}

/// The names. No other name is proposed for an unknown one.
#[derive(Clone)]
struct Names(PossibleValuesParser);

impl TypedValueParser for Names {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        self.0.parse_ref(command, arg, value).map_err(|mut error| {
            if QUANTILES.iter().any(|word| value.to_string_lossy().contains(word)) {
                error.remove(ContextKind::SuggestedValue);
                let why = "quartiles and percentiles are `quantile`, with --q 0.25,0.75";
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![why.into()]));
            }
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// True for covariances and correlations.
pub fn is_joint(op: Op) -> bool {
    matches!(op, Op::Covariance | Op::Correlation)
}

/// True for variances and deviations.
pub fn is_spread(op: Op) -> bool {
    matches!(op, Op::Variance | Op::SampleVariance | Op::Deviation | Op::SampleDeviation)
}

/// True for means, and moments in deviations.
pub fn is_mean(op: Op) -> bool {
    matches!(op, Op::Mean | Op::GeometricMean | Op::WeightedMean | Op::Skewness | Op::Kurtosis)
}

/// True for operators of two inputs.
pub fn takes_two(op: Op) -> bool {
    op.arity() == Arity::Two
}

/// True for searches.
pub fn is_search(op: Op) -> bool {
    matches!(op, Op::ArgMin | Op::ArgMax)
}

/// True if its results over an element type are single floats.
fn gives_float(op: Op, element: Element) -> bool {
    let first = op.read(element, &[0; 16]).first().and_then(|answer| answer.value());
    matches!(first, Some(Value::F32(_) | Value::F64(_)))
}

/// True if there is no result of no elements, not even a NaN.
pub fn needs_elements(op: Op) -> bool {
    is_search(op) || matches!(op, Op::Min | Op::Max | Op::MinMax)
}

/// The type of the answers in an array: NumPy's, where NumPy has the operator; but 16-bit floats give 32-bit ones.
pub fn dtype(op: Op, stored: Stored) -> Stored {
    let element = stored.element();
    let unsigned = unsigned(stored);
    match op {
        Op::Any | Op::All => Stored::Bool,
        Op::ArgMin | Op::ArgMax | Op::Count => Element::I64.into(),
        _ if element.is_float() => dtype::of(element),
        Op::Sum | Op::Product | Op::WideSum | Op::WideProduct => {
            let is_unsigned = stored == unsigned && stored != Stored::Bool;
            if is_unsigned { Element::U64.into() } else { Element::I64.into() }
        }
        op if gives_float(op, element) => Element::F64.into(),
        Op::L1 => Element::U64.into(),
        Op::MaxNorm => unsigned,
        _ => stored,
    }
}

/// The type of as many bits without a sign.
fn unsigned(stored: Stored) -> Stored {
    match stored {
        Stored::I8 => Stored::U8,
        Stored::I16 => Stored::U16,
        Stored::Element(Element::I32) => Element::U32.into(),
        Stored::Element(Element::I64) => Element::U64.into(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_numpys() {
        for (op, element, name) in [
            (Op::Sum, Element::I32, "i8"),
            (Op::Sum, Element::U32, "u8"),
            (Op::Min, Element::U32, "u4"),
            (Op::Mean, Element::I32, "f8"),
            (Op::Deviation, Element::F32, "f4"),
            (Op::LogSumExp, Element::U32, "f8"),
            (Op::ArgMax, Element::F64, "i8"),
            (Op::All, Element::F16, "b1"),
            (Op::Sum, Element::F16, "f4"),
            (Op::Dot, Element::U32, "u4"),
        ] {
            assert_eq!(dtype(op, element.into()).numpy(), name, "{op} of {element}");
        }
        for (op, names) in [
            (Op::Sum, ["i8", "u8", "i8", "u8", "i8"]),
            (Op::Product, ["i8", "u8", "i8", "u8", "i8"]),
            (Op::Min, ["b1", "u1", "i1", "u2", "i2"]),
            (Op::MinMax, ["b1", "u1", "i1", "u2", "i2"]),
            (Op::Xor, ["b1", "u1", "i1", "u2", "i2"]),
            (Op::MaxNorm, ["b1", "u1", "u1", "u2", "u2"]),
            (Op::Mean, ["f8"; 5]),
            (Op::Variance, ["f8"; 5]),
            (Op::Any, ["b1"; 5]),
            (Op::ArgMin, ["i8"; 5]),
            (Op::Count, ["i8"; 5]),
        ] {
            assert_eq!(Stored::PACKED.map(|stored| dtype(op, stored).numpy()), names, "{op}");
        }
    }
}
