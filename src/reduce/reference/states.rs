//! States on the CPU: combines and finishes the accumulators that a reduction has written.
//!
//! This is an operator's `combine` and `finish` on the CPU, in 64 bits or exactly. [`combine`] is the host's
//! part of [`Finish::Host`](crate::reduce::ladder::Finish::Host). It also combines the states of the parts of
//! a file, of several GPUs or of several machines.

use bytemuck::Pod;

use super::view;
use crate::element::{Element, Value};
use crate::reduce::op::Op;
use crate::reduce::reference::{ExactProduct, ExactSum, Real};
use crate::reduce::value::Answer;

/// Combines states of an operator, given as bytes, and finishes them. `n` is the number of elements that they
/// stand for. `None` if the operator is not defined for the element type.
///
/// Floats are combined in 64 bits and integers exactly, so this adds no error that matters to that of the
/// states.
///
/// # Panics
///
/// If `bytes` is not a whole number of states of [`Monoid::acc_size`](crate::reduce::Monoid::acc_size) bytes
/// each.
pub fn combine(op: Op, element: Element, bytes: &[u8], n: u64) -> Option<Answer> {
    let real = Real::of(element);
    let value = |x: f64| real.answer(x);
    Some(match (op, element) {
        _ if !op.is_over(element) => return None,
        (Op::Min | Op::Max | Op::MinMax | Op::ArgMin | Op::ArgMax | Op::MaxNorm, _) => {
            ordered(op, element, bytes, n)
        }
        (Op::Count, _) => unsigned(view::<u32>(bytes).iter().map(|x| u64::from(*x)).sum()),
        (Op::Any, _) => unsigned(view::<u32>(bytes).iter().fold(0, |a, b| a | b).into()),
        (Op::All, _) => unsigned(view::<u32>(bytes).iter().fold(1, |a, b| a & b).into()),
        (
            Op::Variance | Op::SampleVariance | Op::Deviation | Op::SampleDeviation,
            Element::U32 | Element::I32,
        ) => value(exact_moments(op, element, bytes, n)),
        (Op::Variance | Op::SampleVariance | Op::Deviation | Op::SampleDeviation, _) => {
            value(moments(op, &reals(real, bytes), n))
        }
        (Op::LogSumExp, _) => value(if real.is_double {
            log_sum_exp(
                &view::<[u64; 3]>(bytes)
                    .iter()
                    .map(|[peak, sum, seen]| (f64::from_bits(*peak), f64::from_bits(*sum), *seen as u32))
                    .collect::<Vec<_>>(),
            )
        } else {
            log_sum_exp(
                &view::<[u32; 3]>(bytes)
                    .iter()
                    .map(|[peak, sum, seen]| {
                        (f32::from_bits(*peak).into(), f32::from_bits(*sum).into(), *seen)
                    })
                    .collect::<Vec<_>>(),
            )
        }),
        (Op::GeometricMean, _) => value(if real.is_double {
            geometric_mean(
                view::<[u64; 2]>(bytes).iter().map(|[sum, seen]| (f64::from_bits(*sum), *seen as u32)),
                n,
            )
        } else {
            let states = view::<[u32; 2]>(bytes);
            geometric_mean(states.iter().map(|[sum, seen]| (f32::from_bits(*sum).into(), *seen)), n)
        }),
        (Op::L2, _) => value(sum(&reals(real, bytes)).sqrt()),
        (Op::Mean, _) if element.is_float() => value(sum(&reals(real, bytes)) / n as f64),
        (Op::Sum | Op::Dot | Op::L1, _) if element.is_float() => value(sum(&reals(real, bytes))),
        (Op::Product, _) if element.is_float() => {
            value(reals(real, bytes).iter().fold(ExactProduct::default(), |a, b| a.mul(*b)).value())
        }
        (Op::Mean, _) => super::integers::quotient(element, exact(op, element, bytes), n),
        (Op::WideSum | Op::L1, Element::U64 | Element::I64) => {
            Answer::Value(Value::Wide(exact(op, element, bytes)))
        }
        (Op::WideSum, Element::I32) => Answer::Value(Value::Signed(exact(op, element, bytes) as i64)),
        (Op::WideSum | Op::L1, _) => unsigned(exact(op, element, bytes) as u64),
        (Op::WideProduct, _) => {
            let product = view::<u64>(bytes).iter().fold(1u64, |a, b| a.wrapping_mul(*b));
            if element == Element::I32 {
                Answer::Value(Value::Signed(product.cast_signed()))
            } else {
                unsigned(product)
            }
        }
        _ => Answer::Value(match element {
            Element::U32 => Value::Unsigned(wrapping::<u32>(op, bytes).into()),
            Element::I32 => Value::Signed(wrapping::<u32>(op, bytes).cast_signed().into()),
            Element::U64 => Value::Unsigned(wrapping::<u64>(op, bytes)),
            _ => Value::Signed(wrapping::<u64>(op, bytes).cast_signed()),
        }),
    })
}

fn unsigned(x: u64) -> Answer {
    Answer::Value(Value::Unsigned(x))
}

/// Accumulators of one float each, or of several in a row.
fn reals(real: Real, bytes: &[u8]) -> Vec<f64> {
    if real.is_double {
        view::<f64>(bytes).to_vec()
    } else {
        view::<f32>(bytes).iter().map(|x| f64::from(*x)).collect()
    }
}

fn sum(items: &[f64]) -> f64 {
    items.iter().fold(ExactSum::default(), |sum, x| sum.add(*x)).value()
}

/// The exact sum of integers whose partial sums are stored in two words, or as sums of upper and lower
/// halves.
fn exact(op: Op, element: Element, bytes: &[u8]) -> i128 {
    match element {
        Element::U32 => view::<u64>(bytes).iter().map(|x| i128::from(*x)).sum(),
        Element::I32 if op == Op::L1 => view::<u64>(bytes).iter().map(|x| i128::from(*x)).sum(),
        Element::I32 => view::<i64>(bytes).iter().map(|x| i128::from(*x)).sum(),
        Element::I64 if op != Op::L1 => view::<[i64; 2]>(bytes)
            .iter()
            .map(|[upper, lower]| (i128::from(*upper) << 32) + i128::from(*lower))
            .sum(),
        _ => view::<[u64; 2]>(bytes)
            .iter()
            .map(|[upper, lower]| (i128::from(*upper) << 32) + i128::from(*lower))
            .sum(),
    }
}

/// Wrapping and bitwise operators. Signed integers are treated as unsigned ones.
fn wrapping<T: Word>(op: Op, bytes: &[u8]) -> T {
    let items = view::<T>(bytes);
    let items = items.iter().copied();
    match op {
        Op::Product => items.fold(T::ONE, T::times),
        Op::And => items.fold(T::ALL, |a, b| a & b),
        Op::Or => items.fold(T::NONE, |a, b| a | b),
        Op::Xor => items.fold(T::NONE, |a, b| a ^ b),
        _ => items.fold(T::NONE, T::plus),
    }
}

trait Word:
    Pod + std::ops::BitAnd<Output = Self> + std::ops::BitOr<Output = Self> + std::ops::BitXor<Output = Self>
{
    const NONE: Self;
    const ONE: Self;
    const ALL: Self;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

macro_rules! word {
    ($($type:ty),*) => {$(
        impl Word for $type {
            const NONE: Self = 0;
            const ONE: Self = 1;
            const ALL: Self = <$type>::MAX;
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }
    )*};
}
word!(u32, u64);

/// Sums of 64 bits and sums of squares of 96 bits, for 32-bit integers. They add up exactly.
fn exact_moments(op: Op, element: Element, bytes: &[u8], n: u64) -> f64 {
    let (sum, squares) = view::<[u32; 5]>(bytes).iter().fold((0i128, 0i128), |(sum, squares), words| {
        let [low, high, square_low, square_mid, square_high] = words.map(i128::from);
        let term = (high << 32) + low;
        let is_negative = element == Element::I32 && high >> 31 == 1;
        let term = if is_negative { term - (1 << 64) } else { term };
        (sum + term, squares + (square_high << 64) + (square_mid << 32) + square_low)
    });
    let correction = u64::from(matches!(op, Op::SampleVariance | Op::SampleDeviation));
    if n <= correction {
        return f64::NAN;
    }
    // Relative to the whole part of the mean, so that everything fits 128 bits.
    let mean = sum.div_euclid(n.into());
    let rest = sum.rem_euclid(n.into());
    let around = squares - mean * (2 * sum - mean * i128::from(n));
    let variance = (around as f64 - rest as f64 * (rest as f64 / n as f64)) / (n - correction) as f64;
    if matches!(op, Op::Deviation | Op::SampleDeviation) { variance.sqrt() } else { variance }
}

/// Parts of a variance, merged pairwise. Each has a count, a mean, and the sum of squared distances from it.
fn moments(op: Op, items: &[f64], n: u64) -> f64 {
    let merge = |[na, mean_a, m2_a]: [f64; 3], part: &[f64]| {
        let [nb, mean_b, m2_b] = [part[0], part[1], part[2]];
        let n = na + nb;
        let d = mean_b - mean_a;
        let step = if n > 0.0 { d * (nb / n) } else { 0.0 };
        [n, mean_a + step, m2_a + m2_b + d * (na * step)]
    };
    let [_, _, m2] = items.chunks_exact(3).fold([0.0; 3], merge);
    let correction = u64::from(matches!(op, Op::SampleVariance | Op::SampleDeviation));
    if n <= correction {
        return f64::NAN;
    }
    let variance = m2 / (n - correction) as f64;
    if matches!(op, Op::Deviation | Op::SampleDeviation) { variance.sqrt() } else { variance }
}

/// Parts of a log-sum-exp: a peak, the sum relative to it, and flags for infinities (1) and NaNs (2).
fn log_sum_exp(parts: &[(f64, f64, u32)]) -> f64 {
    let seen = parts.iter().fold(0, |seen, part| seen | part.2);
    let parts = parts.iter().filter(|part| part.1 > 0.0);
    let peak = parts.clone().map(|part| part.0).fold(f64::NEG_INFINITY, f64::max);
    let sum = sum(&parts.map(|part| part.1 * (part.0 - peak).exp()).collect::<Vec<_>>());
    match seen {
        0 if sum > 0.0 => peak + sum.ln(),
        0 => f64::NEG_INFINITY,
        1 => f64::INFINITY,
        _ => f64::NAN,
    }
}

/// Parts of a geometric mean: a sum of logarithms, and flags for zeros (1), infinities (2), and NaNs or
/// negative numbers (4).
fn geometric_mean(parts: impl Iterator<Item = (f64, u32)>, n: u64) -> f64 {
    let (sum, seen) =
        parts.fold((ExactSum::default(), 0), |(sum, seen), part| (sum.add(part.0), seen | part.1));
    match seen {
        _ if n == 0 => f64::NAN,
        0 => (sum.value() / n as f64).exp(),
        1 => 0.0,
        2 => f64::INFINITY,
        _ => f64::NAN,
    }
}

/// Operators whose accumulators are keys. Keys order like the elements: for floats they are the bits, flipped
/// if negative.
fn ordered(op: Op, element: Element, bytes: &[u8], n: u64) -> Answer {
    let keys = Keys::of(element);
    let (lowest, highest) = (keys.lowest, keys.highest);
    match op {
        Op::Min => {
            let least = keys.read(bytes).min().unwrap_or(highest);
            Answer::Value(keys.value(least, lowest))
        }
        Op::Max => {
            let greatest = keys.read(bytes).max().unwrap_or(lowest);
            Answer::Value(keys.value(greatest, highest))
        }
        Op::MaxNorm => {
            let largest = keys.unsigned().read(bytes).max().unwrap_or(0);
            let nan = largest > keys.infinity;
            Answer::Value(match element {
                Element::F64 => Value::F64(if nan { f64::NAN } else { f64::from_bits(largest as u64) }),
                _ if element.is_float() => {
                    Value::F32(if nan { f32::NAN } else { f32::from_bits(largest as u32) })
                }
                _ => Value::Unsigned(largest as u64),
            })
        }
        // (~least, greatest). If there are elements, only the keys of NaNs lie beyond the infinities.
        Op::MinMax => {
            let least = keys.read(bytes).step_by(2).max().map_or(highest, |key| keys.not(key));
            let greatest = keys.read(bytes).skip(1).step_by(2).max().unwrap_or(lowest);
            if n > 0 && (greatest > keys.infinity || least < -keys.infinity - 1) {
                return Answer::Range { min: keys.value(lowest, lowest), max: keys.value(highest, highest) };
            }
            Answer::Range { min: keys.value(least, lowest), max: keys.value(greatest, highest) }
        }
        // (rank, index): the higher rank wins; among equal ranks, the lower index.
        _ => {
            let pairs = keys.read(bytes).step_by(2).zip(keys.unsigned().read(bytes).skip(1).step_by(2));
            let pairs = pairs.map(|(rank, index)| (rank, index as u32));
            let best = pairs.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
            let (rank, index) = best.unwrap_or((lowest, u32::MAX));
            let (key, nan) = if op == Op::ArgMin { (keys.not(rank), lowest) } else { (rank, highest) };
            Answer::At { value: keys.value(key, nan), index }
        }
    }
}

/// The integer type of an element type's keys.
#[derive(Clone, Copy)]
struct Keys {
    element: Element,
    lowest: i128,
    highest: i128,
    /// The key of infinity. For integers, the largest key.
    infinity: i128,
}

impl Keys {
    fn of(element: Element) -> Self {
        let (lowest, highest, infinity) = match element {
            Element::U32 => (0, i128::from(u32::MAX), i128::MAX - 1),
            Element::U64 => (0, i128::from(u64::MAX), i128::MAX - 1),
            Element::I32 => (i128::from(i32::MIN), i128::from(i32::MAX), i128::MAX - 1),
            Element::I64 => (i128::from(i64::MIN), i128::from(i64::MAX), i128::MAX - 1),
            Element::F32 | Element::F16 => (i128::from(i32::MIN), i128::from(i32::MAX), 0x7f80_0000),
            Element::F64 => (i128::from(i64::MIN), i128::from(i64::MAX), 0x7ff0_0000_0000_0000),
        };
        Keys { element, lowest, highest, infinity }
    }

    /// These keys as unsigned integers with the same bits.
    fn unsigned(self) -> Self {
        Keys { lowest: 0, ..self }
    }

    fn read(self, bytes: &[u8]) -> impl Iterator<Item = i128> {
        let keys: Vec<i128> = match (self.element.size() == 8, self.lowest < 0) {
            (false, false) => view::<u32>(bytes).iter().map(|key| i128::from(*key)).collect(),
            (false, true) => view::<i32>(bytes).iter().map(|key| i128::from(*key)).collect(),
            (true, false) => view::<u64>(bytes).iter().map(|key| i128::from(*key)).collect(),
            (true, true) => view::<i64>(bytes).iter().map(|key| i128::from(*key)).collect(),
        };
        keys.into_iter()
    }

    /// A key with all bits flipped, which reverses the order.
    fn not(self, key: i128) -> i128 {
        self.lowest + self.highest - key
    }

    /// The value of a key; `nan` is the NaN that wins the comparison. The identities lie beyond the
    /// infinities: an empty input gives the infinity nearest to its identity.
    fn value(self, key: i128, nan: i128) -> Value {
        let clamped = key.clamp(-self.infinity - 1, self.infinity);
        match self.element {
            Element::U32 | Element::U64 => Value::Unsigned(key as u64),
            Element::I32 | Element::I64 => Value::Signed(key as i64),
            Element::F64 if key == nan => Value::F64(f64::NAN),
            Element::F64 => {
                let bits = clamped as i64;
                Value::F64(f64::from_bits((if bits < 0 { bits ^ i64::MAX } else { bits }).cast_unsigned()))
            }
            _ if key == nan => Value::F32(f32::NAN),
            _ => {
                let bits = clamped as i32;
                Value::F32(f32::from_bits((if bits < 0 { bits ^ i32::MAX } else { bits }).cast_unsigned()))
            }
        }
    }
}
