//! From what the pieces of a file gave to the answer over all of it.
//!
//! | operator | of each piece | pieces are put together as |
//! |---|---|---|
//! | sums, dot, l1, count, mean | sum | the sum: of integers exact, of floats compensated; the mean divides it once, in 64 bits |
//! | products | product | the product: of integers modulo 2^64, of floats with an exponent of its own |
//! | min, max, min-max, max-norm | extremum | the extremum; a NaN wins, -0 is less than +0 |
//! | arg-min, arg-max | value and place | the best value, of equal ones the least place; of NaNs, too |
//! | variance and its kin | variance and sum | Chan, Golub and LeVeque's merge of squares around means, in 64 bits |
//! | l2 | norm | the root of the sum of squares |
//! | any, all, and, or, xor | the same | the same |
//! | log-sum-exp | log-sum-exp | peak + log(1 + exp(-distance)), in 64 bits |
//! | geometric-mean | geometric mean | e to the mean of the logarithms, in 64 bits |

use halofold::reduce::reference::{ExactProduct, ExactSum};
use halofold::reduce::{self, Op};
use halofold::{Element, Value};

use super::op;
use crate::input::Stored;

/// An answer over all elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// There is none: the minimum or the mean of no elements.
    Nothing,
    Truth(bool),
    Value(Value),
    Range {
        min: Value,
        max: Value,
    },
    At {
        value: Value,
        index: u64,
    },
}

/// How an operator over an element type is put together.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub op: Op,
    pub stored: Stored,
    /// What variances subtract from the number of elements.
    pub ddof: u32,
}

/// What the pieces so far have given.
#[derive(Clone, Copy, Debug)]
pub enum State {
    /// No sum of pieces comes near 128 bits, and its lower ones are those of the sum that wraps.
    Integer(i128),
    Sum(ExactSum),
    Product(ExactProduct),
    Best(Option<Value>),
    Range(Option<(Value, Value)>),
    Place(Option<(Value, u64)>),
    /// The mean of the elements so far, and the sum of squares around it.
    Moments {
        mean: f64,
        squares: f64,
    },
    Real(f64),
}

/// A piece of a result: its elements, and how many there were before.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub before: u64,
    pub len: u64,
    /// Where in the whole a search found its element, if it is not counted in the order of the pieces.
    pub place: Option<u64>,
}

impl Rule {
    fn element(&self) -> Element {
        self.stored.element()
    }

    /// Of no piece yet.
    pub fn start(&self) -> State {
        let float = self.element().is_float();
        match self.op {
            Op::Min | Op::Max | Op::MaxNorm => State::Best(None),
            Op::MinMax => State::Range(None),
            Op::ArgMin | Op::ArgMax => State::Place(None),
            Op::LogSumExp => State::Real(f64::NEG_INFINITY),
            Op::L2 => State::Real(0.0),
            op if op::is_spread(op) => State::Moments { mean: 0.0, squares: 0.0 },
            Op::All => State::Integer(1),
            Op::And => State::Integer(-1),
            Op::GeometricMean => State::Sum(ExactSum::default()),
            Op::Product if float => State::Product(ExactProduct::default()),
            Op::Product | Op::WideProduct => State::Integer(1),
            Op::Sum | Op::Mean | Op::Dot | Op::L1 if float => State::Sum(ExactSum::default()),
            _ => State::Integer(0),
        }
    }

    /// Adds a piece: the answers of the operator's [parts](op::parts) over it.
    pub fn add(&self, state: &mut State, answers: &[reduce::Answer], span: Span) {
        match (state, answers[0]) {
            (State::Range(range), reduce::Answer::Range { min, max }) => {
                let (low, high) = range.unwrap_or((min, max));
                *range = Some((better(Op::Min, low, min), better(Op::Max, high, max)));
            }
            (State::Place(place), reduce::Answer::At { value, index }) => {
                let index = span.place.unwrap_or(span.before + u64::from(index));
                let is_kept = place.is_some_and(|(best, at)| {
                    !prefers(self.op, value, best) && (at < index || prefers(self.op, best, value))
                });
                if !is_kept {
                    *place = Some((value, index));
                }
            }
            (State::Moments { mean, squares }, reduce::Answer::Value(variance)) => {
                let total = answers.get(1).and_then(|answer| answer.value()).map_or(f64::NAN, Value::as_f64);
                merge_moments((mean, squares), variance.as_f64(), total, span);
            }
            (State::Sum(logs), answer) if self.op == Op::GeometricMean => {
                let mean = answer.value().map_or(f64::NAN, Value::as_f64);
                *logs = logs.add(mean.ln() * span.len as f64);
            }
            (state, answer) => {
                if let Some(value) = answer.value() {
                    self.add_value(state, value);
                }
            }
        }
    }

    fn add_value(&self, state: &mut State, value: Value) {
        match state {
            State::Integer(x) => *x = self.fold(*x, integer(value)),
            State::Sum(sum) => *sum = sum.add(value.as_f64()),
            State::Product(product) => *product = product.mul(value.as_f64()),
            State::Best(best) => *best = Some(best.map_or(value, |best| better(self.op, best, value))),
            State::Real(x) if self.op == Op::L2 => *x = norm(*x, value.as_f64()),
            State::Real(x) => *x = log_sum(*x, value.as_f64()),
            State::Range(_) | State::Place(_) | State::Moments { .. } => {}
        }
    }

    fn fold(&self, a: i128, b: i128) -> i128 {
        match self.op {
            Op::Product | Op::WideProduct => (a as u64).wrapping_mul(b as u64).into(),
            Op::Any | Op::Or => a | b,
            Op::All | Op::And => a & b,
            Op::Xor => a ^ b,
            _ => a + b,
        }
    }

    /// The answer over `n` elements.
    pub fn finish(&self, state: &State, n: u64) -> Answer {
        if n == 0 && (op::needs_elements(self.op) || op::is_mean(self.op) || op::is_spread(self.op)) {
            return Answer::Nothing;
        }
        match *state {
            State::Integer(x) => self.integer(x, n),
            State::Sum(sum) if self.op == Op::Mean => self.real(sum.value() / n as f64),
            State::Sum(logs) if self.op == Op::GeometricMean => self.real((logs.value() / n as f64).exp()),
            State::Sum(sum) => self.real(sum.value()),
            State::Product(product) => self.real(product.value()),
            State::Best(best) => self.truth_or(best.unwrap_or_else(|| self.zero())),
            State::Range(range) => range.map_or(Answer::Nothing, |(min, max)| Answer::Range { min, max }),
            State::Place(place) => {
                place.map_or(Answer::Nothing, |(value, index)| Answer::At { value, index })
            }
            State::Moments { squares, .. } => self.real(self.spread(squares, n)),
            State::Real(x) => self.real(x),
        }
    }

    fn integer(&self, x: i128, n: u64) -> Answer {
        let signed = matches!(self.element(), Element::I32 | Element::I64);
        let value = match self.op {
            Op::Any | Op::All => return Answer::Truth(x != 0),
            Op::Mean => Value::F64(quotient(x, n)),
            Op::Dot | Op::And | Op::Or | Op::Xor => return self.truth_or(self.own(x)),
            Op::Sum | Op::Product | Op::WideProduct if signed => Value::Signed(x as i64),
            Op::Sum | Op::Product | Op::WideProduct => Value::Unsigned(x as u64),
            Op::WideSum if signed => i64::try_from(x).map_or(Value::Wide(x), Value::Signed),
            _ => u64::try_from(x).map_or(Value::Wide(x), Value::Unsigned),
        };
        Answer::Value(value)
    }

    /// The low bits of an integer, as the elements' type.
    fn own(&self, x: i128) -> Value {
        match self.stored {
            Stored::Bool => Value::Unsigned((x != 0).into()),
            Stored::U8 => Value::Unsigned((x as u8).into()),
            Stored::I8 => Value::Signed((x as i8).into()),
            Stored::U16 => Value::Unsigned((x as u16).into()),
            Stored::I16 => Value::Signed((x as i16).into()),
            Stored::Element(Element::U32) => Value::Unsigned((x as u32).into()),
            Stored::Element(Element::I32) => Value::Signed((x as i32).into()),
            Stored::Element(Element::I64) => Value::Signed(x as i64),
            Stored::Element(_) => Value::Unsigned(x as u64),
        }
    }

    /// A value of the elements' type: of Booleans true or false.
    fn truth_or(&self, value: Value) -> Answer {
        if self.stored == Stored::Bool { Answer::Truth(integer(value) != 0) } else { Answer::Value(value) }
    }

    fn zero(&self) -> Value {
        if self.element().is_float() { self.float(0.0) } else { Value::Unsigned(0) }
    }

    fn real(&self, x: f64) -> Answer {
        Answer::Value(self.float(x))
    }

    /// A float as answers have it: of integers with 64 bits.
    fn float(&self, x: f64) -> Value {
        let narrow = matches!(self.element(), Element::F16 | Element::F32);
        if narrow { Value::F32(x as f32) } else { Value::F64(x) }
    }

    /// The variance or deviation of `n` elements, given the sum of the squares around their mean.
    fn spread(&self, squares: f64, n: u64) -> f64 {
        let (ddof, is_root) = match self.op {
            Op::SampleVariance => (1, false),
            Op::SampleDeviation => (1, true),
            op => (self.ddof, op == Op::Deviation),
        };
        let variance = squares / n.saturating_sub(ddof.into()) as f64;
        if is_root { variance.sqrt() } else { variance }
    }
}

/// The better of a value and a later one.
fn better(op: Op, first: Value, second: Value) -> Value {
    if prefers(op, second, first) { second } else { first }
}

/// Whether a later value is to be taken instead of an earlier one.
fn prefers(op: Op, later: Value, earlier: Value) -> bool {
    if earlier.as_f64().is_nan() || later.as_f64().is_nan() {
        return !earlier.as_f64().is_nan();
    }
    let order = match (later, earlier) {
        (Value::F32(a), Value::F32(b)) => a.total_cmp(&b),
        (Value::F64(a), Value::F64(b)) => a.total_cmp(&b),
        (a, b) => integer(a).cmp(&integer(b)),
    };
    if matches!(op, Op::Min | Op::ArgMin) { order.is_lt() } else { order.is_gt() }
}

fn integer(value: Value) -> i128 {
    match value {
        Value::Unsigned(x) => x.into(),
        Value::Signed(x) => x.into(),
        Value::Wide(x) => x,
        float => float.as_f64() as i128,
    }
}

/// `sum` / `n` without rounding the sum first: the mean of equal integers is that integer.
fn quotient(sum: i128, n: u64) -> f64 {
    let n = i128::from(n);
    (sum / n) as f64 + (sum % n) as f64 / n as f64
}

/// Merges a piece of a variance and a total into the mean and the squares of the elements before.
fn merge_moments((mean, squares): (&mut f64, &mut f64), variance: f64, total: f64, span: Span) {
    let (before, len) = (span.before as f64, span.len as f64);
    let piece = total / len;
    if span.before == 0 {
        (*mean, *squares) = (piece, variance * len);
        return;
    }
    let distance = piece - *mean;
    let step = distance * (len / (before + len));
    *mean += step;
    *squares += variance * len + distance * before * step;
}

/// The norm of two parts. Not `hypot` alone, for which an infinity outweighs a NaN.
fn norm(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.hypot(b) }
}

/// log(exp(a) + exp(b)).
fn log_sum(a: f64, b: f64) -> f64 {
    let (low, high) = if a > b { (b, a) } else { (a, b) };
    match high {
        _ if a.is_nan() || b.is_nan() => f64::NAN,
        _ if high.is_infinite() => high,
        _ => high + (low - high).exp().ln_1p(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(op: Op, element: Element) -> Rule {
        Rule { op, stored: element.into(), ddof: 0 }
    }

    /// The answer over `n` elements that came in some pieces, all of them equally long.
    fn total(op: Op, element: Element, pieces: &[Value], n: u64) -> Option<Value> {
        let rule = rule(op, element);
        let mut state = rule.start();
        let span = Span { before: 0, len: 1, place: None };
        pieces.iter().for_each(|&piece| rule.add(&mut state, &[reduce::Answer::Value(piece)], span));
        match rule.finish(&state, n) {
            Answer::Value(value) => Some(value),
            Answer::Truth(truth) => Some(Value::Unsigned(truth.into())),
            _ => None,
        }
    }

    #[test]
    fn integers_wrap_at_64_bits() {
        let most = Value::Unsigned(u64::MAX);
        assert_eq!(total(Op::Sum, Element::U64, &[most, Value::Unsigned(3)], 2), Some(Value::Unsigned(2)));
        assert_eq!(total(Op::Product, Element::U64, &[most, most], 2), Some(Value::Unsigned(1)));
        let least = Value::Signed(i64::MIN);
        assert_eq!(total(Op::Sum, Element::I64, &[least, least], 2), Some(Value::Signed(0)));
        let pieces = [Value::Signed(-3), Value::Signed(5)];
        assert_eq!(total(Op::Product, Element::I32, &pieces, 2), Some(Value::Signed(-15)));
        assert_eq!(total(Op::Min, Element::I32, &pieces, 2), Some(Value::Signed(-3)));
        assert_eq!(total(Op::Max, Element::I64, &pieces, 2), Some(Value::Signed(5)));
        assert_eq!(total(Op::Max, Element::U64, &[most, Value::Unsigned(0)], 2), Some(most));
        // A dot product wraps where NumPy's does: in the element's own type.
        let halves = [Value::Unsigned(1 << 31); 3];
        assert_eq!(total(Op::Dot, Element::U32, &halves, 3), Some(Value::Unsigned(1 << 31)));
        assert_eq!(total(Op::WideSum, Element::I64, &[least, least], 2), Some(Value::Wide(-1 << 64)));
    }

    #[test]
    fn means_of_integers_are_exact() {
        let most = i128::from(u64::MAX);
        let pieces = [Value::Wide(3 * most), Value::Wide(2 * most)];
        assert_eq!(total(Op::Mean, Element::U64, &pieces, 5), Some(Value::F64(u64::MAX as f64)));
        let odd = (1 << 52) + 1;
        assert_eq!(
            total(Op::Mean, Element::I64, &[Value::Wide(-7 * odd)], 7),
            Some(Value::F64(-(odd as f64)))
        );
        assert_eq!(total(Op::Mean, Element::I32, &[Value::Signed(-7)], 2), Some(Value::F64(-3.5)));
    }

    #[test]
    fn floats_are_compensated_and_rounded_once() {
        let pieces = [Value::F64(1e100), Value::F64(1.0), Value::F64(-1e100)];
        assert_eq!(total(Op::Sum, Element::F64, &pieces, 3), Some(Value::F64(1.0)));
        let pieces = [Value::F32(16_777_216.0), Value::F32(0.75), Value::F32(0.75)];
        assert_eq!(total(Op::Sum, Element::F32, &pieces, 9), Some(Value::F32(16_777_218.0)));
        assert_eq!(total(Op::Mean, Element::F16, &[Value::F32(1.0)], 10), Some(Value::F32(0.1)));
        let pieces = [1e30, 1e30, 1e-30, 1e-30].map(Value::F32);
        let Some(Value::F32(product)) = total(Op::Product, Element::F32, &pieces, 4) else { unreachable!() };
        assert!((product - 1.0).abs() < 1e-6);
        let pieces = [1e300, 1e300, 1e-300, 1e-300].map(Value::F64);
        let Some(Value::F64(product)) = total(Op::Product, Element::F64, &pieces, 4) else { unreachable!() };
        assert!((product - 1.0).abs() < 1e-15);
    }

    #[test]
    fn extrema_keep_signed_zeros_and_nan() {
        let zeros = [Value::F32(0.0), Value::F32(-0.0)];
        assert!(total(Op::Min, Element::F32, &zeros, 2).unwrap().same(Value::F32(-0.0)));
        assert!(total(Op::Max, Element::F32, &zeros, 2).unwrap().same(Value::F32(0.0)));
        let pieces = [Value::F64(1.0), Value::F64(f64::NAN), Value::F64(f64::INFINITY)];
        for op in [
            Op::Min,
            Op::Max,
            Op::Sum,
            Op::Product,
            Op::Mean,
            Op::L1,
            Op::L2,
            Op::MaxNorm,
            Op::Dot,
            Op::LogSumExp,
        ] {
            assert!(total(op, Element::F64, &pieces, 3).unwrap().as_f64().is_nan(), "{op}");
        }
    }

    #[test]
    fn places_are_counted_from_the_start_and_the_first_wins() {
        let place = |op, values: [f32; 4]| {
            let rule = rule(op, Element::F32);
            let mut state = rule.start();
            for (piece, value) in values.into_iter().enumerate() {
                let answer = reduce::Answer::At { value: Value::F32(value), index: 3 };
                rule.add(&mut state, &[answer], Span { before: 10 * piece as u64, len: 10, place: None });
            }
            let Answer::At { index, .. } = rule.finish(&state, 40) else { unreachable!() };
            index
        };
        assert_eq!(place(Op::ArgMax, [1.0, 2.0, 2.0, 0.0]), 13);
        assert_eq!(place(Op::ArgMin, [0.0, -0.0, -0.0, 1.0]), 13);
        assert_eq!(place(Op::ArgMin, [0.0, f32::NAN, -1.0, f32::NAN]), 13);
    }

    #[test]
    fn of_equal_pieces_the_least_place_wins() {
        for value in [2.0, f32::NAN] {
            let rule = rule(Op::ArgMax, Element::F32);
            let mut state = rule.start();
            for place in [9, 4, 7] {
                let answer = reduce::Answer::At { value: Value::F32(value), index: 0 };
                rule.add(&mut state, &[answer], Span { before: 10, len: 10, place: Some(place) });
            }
            assert!(matches!(rule.finish(&state, 30), Answer::At { index: 4, .. }));
        }
    }

    #[test]
    fn narrow_types_wrap_in_their_own_width() {
        let dot = |stored, sum: i64| {
            let rule = Rule { op: Op::Dot, stored, ddof: 0 };
            let mut state = rule.start();
            let span = Span { before: 0, len: 9, place: None };
            rule.add(&mut state, &[reduce::Answer::Value(Value::Signed(sum))], span);
            rule.finish(&state, 9)
        };
        assert_eq!(dot(Stored::U8, 257), Answer::Value(Value::Unsigned(1)));
        assert_eq!(dot(Stored::I8, 128), Answer::Value(Value::Signed(-128)));
        assert_eq!(dot(Stored::U16, -1), Answer::Value(Value::Unsigned(65535)));
        assert_eq!(dot(Stored::I16, -1), Answer::Value(Value::Signed(-1)));
        assert_eq!(dot(Stored::Bool, 256), Answer::Truth(true));
        let all_bits = |stored| {
            let rule = Rule { op: Op::And, stored, ddof: 0 };
            rule.finish(&rule.start(), 0)
        };
        assert_eq!(all_bits(Stored::U8), Answer::Value(Value::Unsigned(255)));
        assert_eq!(all_bits(Stored::Bool), Answer::Truth(true));
    }

    #[test]
    fn variances_of_pieces_make_one() {
        // 0, 2 | 10, 14, 18: means 1 and 14, variances 1 and 32/3.
        let spread = |op, ddof| {
            let rule = Rule { op, stored: Element::F64.into(), ddof };
            let mut state = rule.start();
            for (before, len, variance, total) in [(0, 2, 1.0, 2.0), (2, 3, 32.0 / 3.0, 42.0)] {
                let answers = [variance, total].map(|x| reduce::Answer::Value(Value::F64(x)));
                rule.add(&mut state, &answers, Span { before, len, place: None });
            }
            let Answer::Value(value) = rule.finish(&state, 5) else { unreachable!() };
            value.as_f64()
        };
        let squares = 236.8;
        for (op, ddof, expected) in [
            (Op::Variance, 0, squares / 5.0),
            (Op::Variance, 2, squares / 3.0),
            (Op::SampleVariance, 0, squares / 4.0),
            (Op::Deviation, 0, (squares / 5.0f64).sqrt()),
            (Op::SampleDeviation, 0, (squares / 4.0f64).sqrt()),
        ] {
            assert!((spread(op, ddof) - expected).abs() < 1e-12, "{op} {ddof}");
        }
        assert!(spread(Op::Variance, 5).is_infinite());
    }

    #[test]
    fn logarithms_do_not_overflow() {
        assert_eq!(log_sum(1000.0, 1000.0), 1000.0 + std::f64::consts::LN_2);
        assert_eq!(log_sum(f64::NEG_INFINITY, f64::NEG_INFINITY), f64::NEG_INFINITY);
        assert_eq!(log_sum(f64::NEG_INFINITY, 3.0), 3.0);
        assert_eq!(log_sum(f64::INFINITY, f64::NEG_INFINITY), f64::INFINITY);
    }

    #[test]
    fn of_nothing_only_what_has_an_identity() {
        for element in Element::ALL {
            let value = |op| total(op, element, &[], 0).map(Value::as_f64);
            assert_eq!([Op::Sum, Op::Product].map(value), [Some(0.0), Some(1.0)]);
            assert_eq!([Op::L1, Op::L2, Op::MaxNorm, Op::Count].map(value), [Some(0.0); 4]);
            assert_eq!([Op::Any, Op::All].map(value), [Some(0.0), Some(1.0)]);
            let none =
                [Op::Min, Op::Max, Op::GeometricMean, Op::MinMax, Op::ArgMin, Op::Variance, Op::Deviation];
            assert_eq!(none.map(value), [None; 7]);
        }
    }
}
