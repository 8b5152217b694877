//! Every operator × element type × form × awkward length × data, against the CPU: a trial per operator, element type and form.

use halofold::Element;
use halofold::reduce::{Arity, Monoid, Op, Shape, ShapeKind};
use libtest_mimic::Trial;

use crate::common::{Kind, bits_of, data};
use crate::reduced::{Bench, pairs};

const LENGTHS: [usize; 11] = [0, 1, 2, 3, 5, 63, 64, 65, 1000, 4099, 70_001];

/// Kinds of data at each length but the last, which gets one.
const FILLINGS: usize = 3;

/// Segments of each length in one input.
const SEGMENTS: usize = 3;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (op, element, monoid) in pairs() {
        // Compiling takes most of the time: both forms where every adapter runs the type, else one or the other.
        let forms = [ShapeKind::Whole, ShapeKind::Segments];
        let forms = match element {
            Element::U32 | Element::F32 => &forms[..],
            _ => &forms[trials.len() % 2..][..1],
        };
        // An operator's atomic operation on every type that has one.
        let accumulate = monoid.accumulates().map(|_| ShapeKind::Accumulate);
        for form in forms.iter().copied().chain(accumulate) {
            trials.push(trial(op, element, monoid.clone(), form, trials.len()));
        }
    }
    trials
}

fn trial(op: Op, element: Element, monoid: Monoid, form: ShapeKind, number: usize) -> Trial {
    let name = format!("reducer_ops::{op}::{element}::{form:?}");
    let besides = monoid.accumulates().filter(|_| form == ShapeKind::Accumulate).unwrap_or_default();
    let is_sampled = element == Element::F32 && form == ShapeKind::Whole;
    crate::trial(name, is_sampled, crate::lacking(monoid.features() | besides), move || {
        let inputs = if monoid.arity() == Arity::Two { 2 } else { 1 };
        let varies = form == ShapeKind::Accumulate && element.is_float();
        let bench = Bench::new(op, element, monoid, varies)?;
        for (round, len) in LENGTHS.into_iter().enumerate() {
            let (total, shape) = match form {
                ShapeKind::Segments if len == 0 => continue,
                ShapeKind::Segments => (SEGMENTS * len, Shape::Segments { len: len as u64 }),
                ShapeKind::Accumulate => (len, Shape::Accumulate),
                _ => (len, Shape::Whole),
            };
            // The second input starts elsewhere than the first, in some rounds also between two vectors.
            let offsets = [round % 7, round % 5].map(|elements| elements as u64 * element.size());
            // Kinds take turns: every operator and type meets all of them.
            let count = if len == 0 || len > 10_000 { 1 } else { FILLINGS };
            let fillings = Filling::of(op, element).into_iter().cycle().skip(number + FILLINGS * round);
            for filling in fillings.take(count) {
                let input = |k: u64| filling.fill(op, element, total, len, round as u64 + 100 * k);
                let inputs: Vec<_> = (0..inputs).map(input).collect();
                bench
                    .check(&inputs, |_| true, shape, offsets, filling.leaves_the_range(op, element))
                    .map_err(|why| format!("{len} elements, {filling:?}: {why}"))?;
            }
        }
        Ok(())
    })
}

/// Contents of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filling {
    /// A kind that the ladder is tested on, too.
    Common(Kind),
    /// Nothing but zeros, for whatever counts others.
    Zeros,
    /// One zero, in the middle.
    OneZero,
    /// A large mean and a small deviation; for integers, near the end of their range.
    Offset,
    /// Above zero, over many magnitudes: what has logarithms.
    Positive,
    /// Nothing but -∞: for floats only.
    MinusInfinity,
    /// Floats whose squares are smaller than any float, and floats whose squares are larger: for moments, which do not depend on the scale.
    Faint,
    Far,
}

impl Filling {
    /// The contents that an operator is tested on.
    fn of(op: Op, element: Element) -> Vec<Filling> {
        use Filling::{Common, Faint, Far, MinusInfinity, Offset, OneZero, Positive, Zeros};
        let common = [Kind::Random, Kind::Dyadic, Kind::Constant, Kind::Extremes, Kind::Nan].map(Common);
        let others = [Offset, Zeros, OneZero, Positive, MinusInfinity];
        let others = &others[..if element.is_float() { 5 } else { 4 }];
        let all = common.iter().chain(others).copied();
        let is_spread = matches!(op, Op::Variance | Op::SampleVariance | Op::Deviation | Op::SampleDeviation)
            || matches!(op, Op::Skewness | Op::Kurtosis | Op::Covariance | Op::Correlation);
        if is_spread && element.is_float() {
            // Each as often as all others together.
            all.flat_map(|filling| [filling, Faint, Far]).collect()
        } else {
            all.collect()
        }
    }

    /// Returns true if partial products of such floats leave their type's range in some orders, so that no one result is right.
    fn leaves_the_range(self, op: Op, element: Element) -> bool {
        let uneven = matches!(
            self,
            Filling::Common(Kind::Nan) | Filling::Offset | Filling::OneZero | Filling::Positive
        );
        op == Op::Product && element.is_float() && uneven
    }

    /// Segments of one length.
    fn fill(self, op: Op, element: Element, total: usize, len: usize, seed: u64) -> Vec<u8> {
        let kind = if let Filling::Common(kind) = self { kind } else { Kind::Random };
        let mut filled = data(kind, op, element, total, seed);
        filled.change(element, |i, bits, random| match self {
            Filling::Common(_) => bits,
            Filling::Zeros => 0,
            Filling::OneZero if i % len == len / 2 => 0,
            Filling::OneZero => bits_of(element, 1.0 + (random % 8) as f64),
            Filling::Positive => {
                let x = (1.0 + (random % 1000) as f64 / 1000.0) * (f64::from(random as i16 % 10)).exp2();
                bits_of(element, if element.is_float() { x } else { x.ceil() })
            }
            Filling::Offset if element == Element::I32 => (1 << 31) + random % 100,
            Filling::Offset if element == Element::I64 => (1 << 63) + random % 100,
            Filling::Offset if element.is_float() => bits_of(element, 1000.0 + (random % 16) as f64 / 4.0),
            Filling::Offset => u64::MAX - random % 100,
            Filling::MinusInfinity => bits_of(element, f64::NEG_INFINITY),
            Filling::Faint | Filling::Far => {
                // The distance of two far ones may be larger than any float.
                let [faint, far] = match element {
                    Element::F16 => [-22, 4],
                    Element::F32 => [-100, 117],
                    _ => [-900, 1013],
                };
                let exponent = if self == Filling::Faint { faint } else { far };
                bits_of(element, ((random % 3400) as f64 - 1500.0) * f64::from(exponent).exp2())
            }
        });
        filled.bytes().to_vec()
    }
}
