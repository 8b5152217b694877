//! Operators on files, and the types of their results.

use std::str::FromStr;

use halofold::reduce::{Arity, Op};
use halofold::{Element, Value};

use crate::files::Stored;
use crate::named::{self, Named};

const USUAL: [Op; 5] = [Op::Sum, Op::Min, Op::Max, Op::Product, Op::Mean];

/// NumPy's names of operators that have another name here.
const NUMPY: [(&str, &str); 9] = [
    ("var", "variance"),
    ("prod", "product"),
    ("argmin", "arg-min"),
    ("argmax", "arg-max"),
    ("average", "mean"),
    ("amin", "min"),
    ("amax", "max"),
    ("percentile", "quantile"),
    ("count_nonzero", "count-nonzero"),
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operator {
    pub kind: Kind,
    /// True if the name begins with `nan`, as in `nanmean`: NaNs are skipped.
    pub skips_nan: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Reduction(Op),
    Count,
    PeakToPeak,
    Median,
    Quantiles,
    Percentile(f64),
    Top,
}

const KINDS: [(&str, Kind); 5] = [
    ("count", Kind::Count),
    ("ptp", Kind::PeakToPeak),
    ("median", Kind::Median),
    ("quantile", Kind::Quantiles),
    ("top", Kind::Top),
];

impl Kind {
    /// Returns the reduction whose states make the result, if there is one.
    pub fn reduction(self) -> Option<Op> {
        match self {
            Kind::Reduction(op) => Some(op),
            // Only the element counts beside the states are used.
            Kind::Count => Some(Op::CountNonzero),
            Kind::PeakToPeak => Some(Op::MinMax),
            _ => None,
        }
    }

    pub fn name(self) -> String {
        match self {
            Kind::Reduction(op) => op.name().to_owned(),
            Kind::Percentile(percent) => format!("p{percent}"),
            kind => KINDS.iter().find(|(_, known)| *known == kind).map_or("", |(name, _)| name).to_owned(),
        }
    }
}

impl FromStr for Operator {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, skips_nan) = match text.strip_prefix("nan") {
            Some(name) if !name.is_empty() => (name, true),
            _ => (text, false),
        };
        let name = NUMPY.iter().find(|(numpy, _)| *numpy == name).map_or(name, |(_, name)| name);
        let percent =
            || name.strip_prefix('p')?.parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
        let named = KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        let kind = named.or_else(|| name.parse().ok().map(Kind::Reduction));
        let kind = kind.or_else(|| percent().map(Kind::Percentile));
        let remedy = if text.contains("quartile") { "; quartiles are `quantile`" } else { "" };
        let all = || names().collect::<Vec<_>>().join(", ");
        let kind =
            kind.ok_or_else(|| format!("there is no operator `{text}`{remedy}; there are {}", all()))?;
        Ok(Operator { kind, skips_nan })
    }
}

pub fn operator() -> Named<Operator> {
    named::parsed(|| names().collect())
}

fn names() -> impl Iterator<Item = &'static str> {
    let others = Op::ALL.iter().copied().filter(|op| !USUAL.contains(op));
    USUAL.into_iter().chain(others).map(Op::name).chain(["count", "ptp", "median", "quantile", "p95", "top"])
}

pub fn quantile(text: &str) -> Result<f64, String> {
    let share = text.trim().parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "quantiles are numbers from 0 to 1, as in 0.05,0.95".to_owned())
}

pub fn is_spread(op: Op) -> bool {
    matches!(op, Op::Variance | Op::SampleVariance | Op::Deviation | Op::SampleDeviation)
}

pub fn is_mean(op: Op) -> bool {
    matches!(op, Op::Mean | Op::GeometricMean | Op::WeightedMean | Op::Skewness | Op::Kurtosis)
}

pub fn takes_two(op: Op) -> bool {
    op.arity() == Arity::Two
}

pub fn is_search(op: Op) -> bool {
    matches!(op, Op::ArgMin | Op::ArgMax)
}

/// Returns true if each result over `element` is one `f32` or `f64` value.
fn gives_float(op: Op, element: Element) -> bool {
    let first = op.read(element, &[0; 16]).first().and_then(|answer| answer.value());
    matches!(first, Some(Value::F32(_) | Value::F64(_)))
}

/// Returns true if an empty line has no result, not even NaN.
pub fn needs_elements(op: Op) -> bool {
    is_search(op) || matches!(op, Op::Min | Op::Max | Op::MinMax)
}

/// Returns the dtype of an array of results: NumPy's if NumPy has the operator, except that 16-bit floats give 32-bit floats.
pub fn dtype(op: Op, stored: Stored) -> Stored {
    let element = stored.element();
    let unsigned = unsigned(stored);
    match op {
        Op::Any | Op::All => Stored::Bool,
        Op::ArgMin | Op::ArgMax | Op::CountNonzero => Element::I64.into(),
        _ if element.is_float() => widened(element).into(),
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

/// Returns the type to compute in: 16-bit floats become 32-bit floats, which every adapter has.
pub fn widened(element: Element) -> Element {
    if element == Element::F16 { Element::F32 } else { element }
}

/// Returns the unsigned integer type of equal width; other types stay.
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
    fn numpys_names_are_operators() {
        let of = |name: &str| name.parse::<Operator>().map(|operator| (operator.kind, operator.skips_nan));
        for (name, kind, skips_nan) in [
            ("var", Kind::Reduction(Op::Variance), false),
            ("nanmean", Kind::Reduction(Op::Mean), true),
            ("p99.5", Kind::Percentile(99.5), false),
            ("nanpercentile", Kind::Quantiles, true),
        ] {
            assert_eq!(of(name), Ok((kind, skips_nan)), "{name}");
        }
        assert!(names().all(|name| of(name).is_ok()));
    }
}
