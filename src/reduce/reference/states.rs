//! Merges a reduction's states on the CPU and finishes them.
//!
//! These are an operator's `combine` and `finish` on the CPU, in 64 bits or exactly. [`combine`] is the host's part of
//! [`Finish::Host`](crate::ladder::Finish::Host). A [`Merger`] takes states of parts of an input, from files, GPUs or machines, as they arrive.

use super::fields::{mean_and_unit, power, read, real, word};
use super::integers::mean;
use super::keys::Keys;
use super::merged_moments::{CoMoments, HighMoments, Mean};
use crate::element::{Element, Value};
use crate::gpu::error::Error;
use crate::reduce::exact::{self, Accuracy, Format, State};
use crate::reduce::op::Op;
use crate::reduce::reference::{ExactProduct, ExactSum, Real};
use crate::reduce::value::{Kind, Number, Scalar};

/// Combines an operator's states, given as bytes, and finishes them. `n` is the number of elements that they
/// cover. `None` if the operator is not defined for the element type.
///
/// Floats are combined in 64 bits and integers exactly, so the added error is negligible beside the states' own error.
///
/// # Panics
///
/// If `bytes` is not a whole number of states, [`Monoid::acc_size`](crate::reduce::Monoid::acc_size) bytes each.
pub fn combine(op: Op, element: Element, bytes: &[u8], n: u64) -> Option<Scalar> {
    let mut merger = Merger::new(op, element, Accuracy::Fast)?;
    let states = bytes.chunks_exact(merger.state_size());
    assert!(states.remainder().is_empty(), "not a whole number of states");
    for state in states {
        merger.add(state, 0).expect("only exact states may be none");
    }
    Some(merger.finish(n))
}

/// Merges states of the parts of an input, one after the other.
///
/// Integers and [exact](crate::reduce::exact) states merge exactly, floats in 64 bits. Positions have 64 bits, so all parts together
/// may exceed the length of one reduction.
///
/// ```
/// use halofold::reduce::reference::Merger;
/// use halofold::reduce::{Accuracy, Op};
/// use halofold::Element;
///
/// // The states of two parts of an input of 32-bit integers: their sums in 64 bits.
/// let mut sum = Merger::new(Op::WideSum, Element::U32, Accuracy::Fast).unwrap();
/// sum.add(&5_000_000_000u64.to_ne_bytes(), 0)?;
/// sum.add(&7u64.to_ne_bytes(), 0)?;
/// assert_eq!(sum.finish(3).value(), Some(halofold::Value::Unsigned(5_000_000_007)));
/// # Ok::<(), halofold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Merger {
    op: Op,
    element: Element,
    merged: Merged,
}

/// The merged states, by kind of operator.
#[derive(Clone, Debug)]
enum Merged {
    Exact(State),
    /// Sums, whose low bits equal wrapping sums; products modulo 2^64; bits.
    Integer(i128),
    /// Sum of 32-bit integers, and sum of their squares.
    Squares {
        sum: i128,
        squares: i128,
    },
    Sum(ExactSum),
    Product(ExactProduct),
    /// The second moment.
    Moments(HighMoments),
    /// Moments of pairs.
    CoMoments(CoMoments),
    /// Moments up to the fourth.
    HighMoments(HighMoments),
    /// Sum of weighted elements, and sum of weights.
    Weighted([ExactSum; 2]),
    /// Sum of exponentials relative to a peak, and flags: infinities (1), NaNs (2).
    Exponentials {
        peak: f64,
        sum: f64,
        seen: u32,
    },
    /// Sum of logarithms, and flags: zeros (1), infinities (2), NaNs or negative numbers (4).
    Logarithms {
        sum: ExactSum,
        seen: u32,
    },
    /// A key.
    Extreme(Option<i128>),
    /// The smallest and the largest key.
    Range(Option<[i128; 2]>),
    /// A rank and its position.
    Place(Option<(i128, u64)>),
}

impl Merger {
    /// Makes an empty merger. `None` if the operator is not defined for the element type, or has no exact form.
    pub fn new(op: Op, element: Element, accuracy: Accuracy) -> Option<Self> {
        let is_float = element.is_float();
        let merged = match op {
            _ if accuracy == Accuracy::Exact => Merged::Exact(State::new(Format::of(op, element)?)),
            _ if !op.is_over(element) => return None,
            Op::Min | Op::Max | Op::MaxNorm => Merged::Extreme(None),
            Op::MinMax => Merged::Range(None),
            Op::ArgMin | Op::ArgMax => Merged::Place(None),
            Op::Variance | Op::SampleVariance | Op::Deviation | Op::SampleDeviation => {
                if is_float || element.size() == 8 {
                    Merged::Moments(HighMoments::default())
                } else {
                    Merged::Squares { sum: 0, squares: 0 }
                }
            }
            Op::Covariance | Op::Correlation => Merged::CoMoments(CoMoments::default()),
            Op::Skewness | Op::Kurtosis => Merged::HighMoments(HighMoments::default()),
            Op::WeightedMean => Merged::Weighted([ExactSum::default(); 2]),
            Op::LogSumExp => Merged::Exponentials { peak: f64::NEG_INFINITY, sum: 0.0, seen: 0 },
            Op::GeometricMean => Merged::Logarithms { sum: ExactSum::default(), seen: 0 },
            Op::L2 => Merged::Sum(ExactSum::default()),
            Op::Product if is_float => Merged::Product(ExactProduct::default()),
            Op::Sum | Op::Mean | Op::Dot | Op::L1 if is_float => Merged::Sum(ExactSum::default()),
            Op::Product | Op::WideProduct | Op::All => Merged::Integer(1),
            Op::And => Merged::Integer(-1),
            _ => Merged::Integer(0),
        };
        Some(Merger { op, element, merged })
    }

    /// Returns the size of a state in bytes.
    pub fn state_size(&self) -> usize {
        let word = if self.element.size() == 8 { 8 } else { 4 };
        match &self.merged {
            Merged::Exact(state) => 8 * state.format().words(),
            Merged::Squares { .. } => 20,
            Merged::CoMoments(_) => 8 * word,
            Merged::HighMoments(_) => 5 * word + 8,
            Merged::Weighted(_) => 2 * word,
            Merged::Moments(_) => 4 * word,
            Merged::Exponentials { .. } => 3 * word,
            Merged::Range(_) | Merged::Place(_) | Merged::Logarithms { .. } => 2 * word,
            Merged::Sum(_) | Merged::Product(_) | Merged::Extreme(_) => word,
            Merged::Integer(_) => self.number().size(),
        }
    }

    /// Adds the state of the next part. `before` is the number of elements in earlier parts, which indices count from.
    ///
    /// # Errors
    ///
    /// The merger is exact, and `state` is not an exact state.
    ///
    /// # Panics
    ///
    /// If `state` does not have [`Merger::state_size`] bytes.
    pub fn add(&mut self, state: &[u8], before: u64) -> Result<(), Error> {
        self.add_from(state, |index| before + u64::from(index))
    }

    /// Adds the state of a part whose winning element has this index in the whole input. Parts may come in any order.
    ///
    /// # Errors
    ///
    /// See [`Merger::add`].
    ///
    /// # Panics
    ///
    /// See [`Merger::add`].
    pub fn add_at(&mut self, state: &[u8], index: u64) -> Result<(), Error> {
        self.add_from(state, |_| index)
    }

    fn add_from(&mut self, state: &[u8], place: impl Fn(u32) -> u64) -> Result<(), Error> {
        assert_eq!(state.len(), self.state_size(), "not a state of {} of {}", self.op, self.element);
        let number = self.number();
        let Merger { op, element, ref mut merged } = *self;
        let real = |at| real(element, state, at);
        let keys = Keys::of(element);
        match merged {
            Merged::Exact(sum) => sum.merge(&State::from_bytes(state)?)?,
            Merged::Integer(total) => {
                *total = fold(op, *total, number.read(state).integer().expect("an integer"))
            }
            Merged::Squares { sum, squares } => {
                let [low, high, words @ ..] = read::<[u32; 5]>(state, 0).map(i128::from);
                let part = (high << 32) + low;
                let is_negative = element == Element::I32 && high >> 31 == 1;
                *sum += if is_negative { part - (1 << 64) } else { part };
                *squares += (words[2] << 64) + (words[1] << 32) + words[0];
            }
            Merged::Sum(sum) => *sum = sum.add(real(0)),
            Merged::Product(product) => *product = product.mul(real(0)),
            Merged::Moments(moments) => {
                let (high, unit) = mean_and_unit(element, state, 1);
                let (mean, powers) = (Mean { high, low: real(2) }, [real(3), 0.0, 0.0]);
                moments.merge(HighMoments { n: real(0), mean, powers, unit });
            }
            Merged::CoMoments(moments) => {
                let both = [0, 1].map(|at| mean_and_unit(element, state, at));
                let [x, y] = [0, 1].map(|at| Mean { high: both[at].0, low: real(2 + at) });
                let units = both.map(|(_, unit)| unit);
                let n = word(element, state, 7, 0).into();
                moments.merge(CoMoments { n, x, y, units, squares: [real(4), real(5)], products: real(6) });
            }
            Merged::HighMoments(moments) => {
                let (n, mean) = (word(element, state, 5, 0).into(), Mean { high: real(0), low: real(1) });
                let powers = [real(2), real(3), real(4)];
                let unit = power(element, word(element, state, 5, 1));
                moments.merge(HighMoments { n, mean, powers, unit });
            }
            Merged::Weighted([sum, weights]) => {
                *sum = sum.add(real(0));
                *weights = weights.add(real(1));
            }
            Merged::Exponentials { peak, sum, seen } => {
                *seen |= word(element, state, 2, 0);
                let (other_peak, other) = (real(0), real(1));
                if other > 0.0 {
                    let highest = peak.max(other_peak);
                    let rest = if *sum > 0.0 { *sum * (*peak - highest).exp() } else { 0.0 };
                    (*peak, *sum) = (highest, rest + other * (other_peak - highest).exp());
                }
            }
            Merged::Logarithms { sum, seen } => {
                *sum = sum.add(real(0));
                *seen |= word(element, state, 1, 0);
            }
            Merged::Extreme(best) => {
                let key = if op == Op::MaxNorm { keys.unsigned(state, 0) } else { keys.read(state, 0) };
                let better = |best: i128| if op == Op::Min { best.min(key) } else { best.max(key) };
                *best = Some(best.map_or(key, better));
            }
            Merged::Range(range) => {
                let (least, greatest) = (keys.not(keys.read(state, 0)), keys.read(state, 1));
                let [low, high] = range.unwrap_or([least, greatest]);
                *range = Some([low.min(least), high.max(greatest)]);
            }
            Merged::Place(best) => {
                let rank = keys.read(state, 0);
                let index = place(keys.unsigned(state, 1) as u32);
                let is_better = best.is_none_or(|(held, at)| rank > held || rank == held && index < at);
                if is_better {
                    *best = Some((rank, index));
                }
            }
        }
        Ok(())
    }

    /// Returns the result over the `n` elements that the states cover, in the type that [`Op`] lists.
    pub fn finish(&self, n: u64) -> Scalar {
        let (op, element) = (self.op, self.element);
        let real = |x: f64| Real::of(element).answer(x);
        match &self.merged {
            Merged::Exact(state) if op == Op::Mean => Scalar::One(state.mean()),
            Merged::Exact(state) => Scalar::One(state.sum()),
            Merged::Integer(total) if op == Op::Mean => Scalar::One(mean(*total, n, element.size() == 8)),
            // A count of several parts may exceed the type of one.
            Merged::Integer(total) if op == Op::CountNonzero => Scalar::One(Value::Unsigned(*total as u64)),
            Merged::Integer(total) => Scalar::One(self.number().wrap(*total)),
            Merged::Squares { .. } | Merged::Moments(_) => {
                let correction = u64::from(matches!(op, Op::SampleVariance | Op::SampleDeviation));
                let is_root = matches!(op, Op::Deviation | Op::SampleDeviation);
                real(match is_root {
                    _ if n <= correction => f64::NAN,
                    true => self.deviation(n, correction),
                    false => self.variance(n, correction),
                })
            }
            Merged::CoMoments(moments) => real(match op {
                Op::Covariance => moments.covariance(n as f64),
                _ => moments.correlation(),
            }),
            Merged::HighMoments(moments) => real(moments.standardized(op)),
            Merged::Weighted([_, weights]) if weights.value() == 0.0 => real(f64::NAN),
            Merged::Weighted([sum, weights]) => real(sum.value() / weights.value()),
            Merged::Sum(sum) if op == Op::L2 => real(sum.value().sqrt()),
            Merged::Sum(sum) if op == Op::Mean => real(sum.value() / n as f64),
            Merged::Sum(sum) => real(sum.value()),
            Merged::Product(product) => real(product.value()),
            &Merged::Exponentials { peak, sum, seen } => real(match seen {
                0 if sum > 0.0 => peak + sum.ln(),
                0 => f64::NEG_INFINITY,
                1 => f64::INFINITY,
                _ => f64::NAN,
            }),
            &Merged::Logarithms { sum, seen } => real(match seen {
                _ if n == 0 => f64::NAN,
                0 => (sum.value() / n as f64).exp(),
                1 => 0.0,
                2 => f64::INFINITY,
                _ => f64::NAN,
            }),
            &Merged::Extreme(best) => Keys::of(element).extreme(op, best),
            &Merged::Range(range) => Keys::of(element).range(range.filter(|_| n > 0)),
            &Merged::Place(best) => Keys::of(element).place(op, best),
        }
    }

    /// Returns the sum divided by `n`, in 64 bits; for integers rounded once. NaN if the states are not sums.
    pub fn mean(&self, n: u64) -> f64 {
        match self.merged {
            Merged::Integer(total) => mean(total, n, true).as_f64(),
            Merged::Sum(sum) => sum.value() / n as f64,
            _ => f64::NAN,
        }
    }

    /// Returns the exact sum, if the states are exact.
    pub fn state(&self) -> Option<&State> {
        if let Merged::Exact(state) = &self.merged { Some(state) } else { None }
    }

    /// Returns the integer before it wraps to the width of a result, unless a state has wrapped.
    pub fn integer(&self) -> Option<i128> {
        if let Merged::Integer(total) = self.merged { Some(total) } else { None }
    }

    /// Returns the sum of squares of 32-bit integers, from states of [`Op::Variance`].
    pub fn squares(&self) -> Option<i128> {
        if let Merged::Squares { squares, .. } = self.merged { Some(squares) } else { None }
    }

    /// Returns the sum of squared distances from the mean of `n` elements, or of products of distances of pairs, divided by
    /// `n - correction`, from states of [`Op::Variance`] or [`Op::Covariance`]. NaN for other states.
    pub fn variance(&self, n: u64, correction: u64) -> f64 {
        let (mean, unit) = self.mean_square(n, correction);
        mean * unit * unit
    }

    /// Returns the root of [`Merger::variance`], even if the variance exceeds 64 bits.
    pub fn deviation(&self, n: u64, correction: u64) -> f64 {
        let (mean, unit) = self.mean_square(n, correction);
        mean.sqrt() * unit
    }

    /// Returns the sum of squares or products divided by `n - correction`, and the unit of distances.
    fn mean_square(&self, n: u64, correction: u64) -> (f64, f64) {
        let divisor = n.saturating_sub(correction) as f64;
        match self.merged {
            Merged::Squares { sum, squares } => {
                let words = |x: i128| [0, 32, 64, 96].map(|shift| (x.unsigned_abs() >> shift) as u32);
                let [sum, squares] = [sum, squares].map(words);
                (exact::of_words(&sum, &squares, (n, correction), 0), 1.0)
            }
            Merged::Moments(moments) => (moments.squares() / divisor, 2.0 * moments.unit),
            Merged::CoMoments(moments) => (moments.covariance(divisor), 1.0),
            _ => (f64::NAN, 1.0),
        }
    }

    /// Returns the type of an integer state. A mean has a wide sum.
    fn number(&self) -> Number {
        if self.op == Op::Mean { Kind::Wide.of(self.element) } else { self.op.number(self.element) }
    }
}

/// Combines two integers by the operator.
fn fold(op: Op, a: i128, b: i128) -> i128 {
    match op {
        Op::Product | Op::WideProduct => (a as u64).wrapping_mul(b as u64).into(),
        Op::Any | Op::Or => a | b,
        Op::All | Op::And => a & b,
        Op::Xor => a ^ b,
        _ => a + b,
    }
}
