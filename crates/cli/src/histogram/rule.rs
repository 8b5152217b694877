//! The number of bins: a number, or one of NumPy's rules.

use std::f64::consts::PI;
use std::str::FromStr;

use halofold::Value;
use halofold::rank::Method;

use super::edges::{Range, between};
use crate::count::counts;
use crate::files::Stored;
use crate::passes::in_order;

/// The shares of the elements below the quartiles.
const QUARTILES: [f64; 2] = [0.25, 0.75];

/// The most bins.
const MOST: u32 = 65_536;

/// The number of bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinCount {
    /// So many.
    Number(u32),
    /// As many as a rule gives.
    Of(Rule),
}

/// NumPy's rules for the width of a bin, which gives their number over the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The distance over the root of the number of elements.
    Sqrt,
    /// The distance over the logarithm of the number of elements, and one.
    Sturges,
    /// The distance over twice the cubic root of the number of elements.
    Rice,
    /// 3.49 standard deviations over the cubic root of the number of elements.
    Scott,
    /// Twice the distance between the quartiles over the cubic root of the number of elements: Freedman and Diaconis's.
    Fd,
    /// The narrower of Sturges's and Freedman and Diaconis's.
    Auto,
}

/// The names of the rules.
const NAMES: [(&str, Rule); 6] = [
    ("auto", Rule::Auto),
    ("fd", Rule::Fd),
    ("sqrt", Rule::Sqrt),
    ("sturges", Rule::Sturges),
    ("rice", Rule::Rice),
    ("scott", Rule::Scott),
];

impl FromStr for BinCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((_, rule)) = NAMES.iter().find(|(name, _)| *name == text) {
            return Ok(BinCount::Of(*rule));
        }
        let names = NAMES.map(|(name, _)| name).join(", ");
        let number =
            counts(1, MOST)(text).map_err(|error| format!("{error}, and no rule; rules are {names}"));
        number.map(BinCount::Number)
    }
}

/// The elements in the range, from which a rule finds the width of a bin.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    /// Their number.
    pub n: u64,
    /// The least and the largest; `None` if there are none.
    pub ends: Option<[Value; 2]>,
    /// Their standard deviation.
    pub deviation: f64,
    /// The distance between their quartiles.
    pub between_quartiles: f64,
}

/// The distance between the quartiles of `n` elements of a file, some at least, as NumPy interpolates them. `nth` gives elements by their
/// ranks from 0.
pub fn between_quartiles(n: u64, stored: Stored, nth: impl Fn(u64) -> Value) -> f64 {
    let [lower, upper] = QUARTILES.map(|share| {
        let (below, above, gamma) = Method::Linear.position(share, n);
        between(stored, [nth(below), nth(above)], gamma)
    });
    upper - lower
}

/// The ranks of the elements that [`between_quartiles`] asks for.
pub fn quartile_ranks(n: u64) -> Vec<u64> {
    let positions = QUARTILES.map(|share| Method::Linear.position(share, n));
    positions.iter().flat_map(|(below, above, _)| [*below, *above]).collect()
}

impl Facts {
    /// Those of numbers, each of which is there so many times.
    pub fn of(stored: Stored, found: &[(Value, u64)], ends: Option<[Value; 2]>) -> Self {
        let n = found.iter().map(|(_, count)| count).sum();
        let mean_of = |of: &dyn Fn(f64) -> f64| {
            found.iter().map(|(x, count)| of(x.as_f64()) * *count as f64).sum::<f64>() / n as f64
        };
        let mean = mean_of(&|x| x);
        let deviation = mean_of(&|x| (x - mean).powi(2)).sqrt();
        let nth = in_order(found.to_vec());
        let between_quartiles = if n > 0 { between_quartiles(n, stored, nth) } else { 0.0 };
        Facts { n, ends, deviation, between_quartiles }
    }
}

impl Rule {
    /// The number of bins over a range, found from the elements of a file in it.
    pub fn bins(self, facts: Facts, range: Range, stored: Stored) -> Result<u32, String> {
        let n = facts.n as f64;
        // Equal ends have a range of one.
        let apart = facts.ends.filter(|[least, largest]| least != largest);
        let distance = apart.map_or(0.0, |ends| Range::Found(ends).ends(stored).1);
        let sturges = distance / (n.log2() + 1.0);
        let quartiles = 2.0 * facts.between_quartiles * n.powf(-1.0 / 3.0);
        let width = match self {
            Rule::Fd => quartiles,
            Rule::Auto if quartiles > 0.0 => quartiles.min(sturges),
            Rule::Sqrt => distance / n.sqrt(),
            Rule::Sturges | Rule::Auto => sturges,
            Rule::Rice => distance / (2.0 * n.powf(1.0 / 3.0)),
            Rule::Scott => (24.0 * PI.sqrt() / n).powf(1.0 / 3.0) * facts.deviation,
        };
        // One where elements do not differ, or there are none.
        let bins = if width > 0.0 { (range.ends(stored).1 / width).ceil() } else { 1.0 };
        if bins > f64::from(MOST) {
            return Err(format!(
                "the rule gives {bins} bins, and at most {MOST} are counted: give --bins a number"
            ));
        }
        Ok(bins as u32)
    }
}

#[cfg(test)]
mod tests {
    use halofold::Element;

    use super::*;

    /// By NumPy 1.24, of 1000 numbers with these ends and this deviation.
    #[test]
    fn rules_give_numpys_numbers() {
        let ends = [-3.25, 3.25].map(Value::F64);
        let facts = Facts { n: 1000, ends: Some(ends), deviation: 0.98, between_quartiles: 1.35 };
        let bins = |rule: Rule, facts| rule.bins(facts, Range::Found(ends), Element::F64.into());
        let each = NAMES.map(|(_, rule)| bins(rule, facts));
        assert_eq!(each, [25, 25, 32, 11, 20, 20].map(Ok));
        let alike = Facts { ends: Some([Value::F64(1.0); 2]), deviation: 0.0, ..facts };
        assert_eq!(bins(Rule::Sqrt, alike), Ok(1));
        assert_eq!(bins(Rule::Rice, Facts::default()), Ok(1));
        assert_eq!(bins(Rule::Auto, Facts { between_quartiles: 0.0, ..facts }), Ok(11));
        assert!(bins(Rule::Scott, Facts { deviation: 1e-9, ..facts }).unwrap_err().contains("65536"));
    }

    #[test]
    fn names_and_numbers_are_read() {
        assert_eq!("2^8".parse(), Ok(BinCount::Number(256)));
        assert_eq!("scott".parse(), Ok(BinCount::Of(Rule::Scott)));
        for wrong in ["0", "65537", "fast"] {
            let error = wrong.parse::<BinCount>().unwrap_err();
            assert!(error.contains("sturges"), "{error}");
        }
    }
}
