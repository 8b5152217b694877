//! The states that an operator needs per line, and the result of merged states.
//!
//! | operator | states | result |
//! |---|---|---|
//! | sums of floats that have a [`Format`], means | the exact state | rounded once |
//! | variance and its kin, l2 of f32 | the exact sums of x and of x² | rounded to 64 bits, then to f32 |
//! | variance and its kin, l2 of integers of 32 bits | their sums and those of their squares | rounded at the end |
//! | sum, product, mean of other integers | sum or product in 64 bits, or in 128 | as in NumPy |
//! | any other | the operator's own state | as the library finishes it |

use halofold::reduce::exact::{self, Format};
use halofold::reduce::reference::Merger;
use halofold::reduce::{Accuracy, Monoid, Op, Scalar};
use halofold::{Element, Value};

use super::op::{is_mean, is_spread, needs_elements};
use crate::files::Stored;

/// A kind of state, one per line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub op: Op,
    pub element: Element,
    pub accuracy: Accuracy,
    /// True for a dot product of the first input with itself, which sums squares.
    pub is_squared: bool,
}

impl Part {
    pub fn monoid(self) -> Result<Monoid, halofold::Error> {
        self.op.over(self.element)
    }

    /// Makes the host's merger of its states; `None` if the operator is not defined for the type.
    pub fn merger(self) -> Option<Merger> {
        Merger::new(self.op, self.element, self.accuracy)
    }

    pub fn format(self) -> Option<Format> {
        Format::of(self.op, self.element).filter(|_| self.accuracy == Accuracy::Exact)
    }

    pub fn state_size(self) -> u64 {
        self.merger().map_or(0, |merger| merger.state_size() as u64)
    }

    /// Finishes states of `n` elements each in the library.
    pub fn answers(self, states: &[u8], n: u64) -> impl Iterator<Item = Scalar> {
        let empty = self.merger();
        let size = empty.as_ref().map_or(1, Merger::state_size);
        states.chunks_exact(size).filter_map(move |state| {
            let mut merger = empty.clone()?;
            merger.add(state, 0).ok()?;
            Some(merger.finish(n))
        })
    }
}

/// Returns the states that an operator needs. With [`Accuracy::Exact`] they are exact where possible.
pub fn of(op: Op, element: Element, accuracy: Accuracy) -> Vec<Part> {
    let is_exact = accuracy == Accuracy::Exact;
    let is_integer = !element.is_float();
    let part = |op, accuracy, is_squared| Part { op, element, accuracy, is_squared };
    let plain = |op| vec![part(op, Accuracy::Fast, false)];
    let exact = |op, is_squared| part(op, accuracy, is_squared);
    let has_format = is_exact && Format::of(op, element).is_some();
    let has_squares = is_exact && element == Element::F32;
    let is_narrow = is_integer && element.size() == 4;
    match op {
        Op::Sum if is_narrow => plain(Op::WideSum),
        Op::Product if is_narrow => plain(Op::WideProduct),
        Op::Mean if is_integer => plain(Op::WideSum),
        Op::L2 if is_narrow => plain(Op::Variance),
        Op::L2 if has_squares => vec![exact(Op::Dot, true)],
        op if is_spread(op) && has_squares => vec![exact(Op::Sum, false), exact(Op::Dot, true)],
        op if is_spread(op) => plain(Op::Variance),
        // A mean uses the state of a sum.
        Op::Mean if has_format => vec![exact(Op::Sum, false)],
        op if has_format => vec![exact(op, false)],
        Op::Mean => plain(Op::Sum),
        op => plain(op),
    }
}

pub fn state_bytes(op: Op, element: Element, accuracy: Accuracy) -> u64 {
    of(op, element, accuracy).into_iter().map(Part::state_size).sum()
}

/// Returns true if the result is rounded only at the end.
pub fn is_exact(op: Op, element: Element) -> bool {
    of(op, element, Accuracy::Exact).iter().all(|part| part.accuracy == Accuracy::Exact)
}

/// Returns the result of an operator over `n` elements from merged states; `None` if it has none without elements. Variances subtract
/// `ddof` from `n`.
pub fn finish((op, ddof): (Op, u32), stored: Stored, merged: &[Merger], n: u64) -> Option<Scalar> {
    let is_joint = matches!(op, Op::Covariance | Op::Correlation);
    if n == 0 && (needs_elements(op) || is_mean(op) || is_spread(op) || is_joint) {
        return None;
    }
    let is_narrow = stored.element().is_float() && stored.element() != Element::F64;
    let real = |x: f64| Some(Scalar::One(if is_narrow { Value::F32(x as f32) } else { Value::F64(x) }));
    let first = &merged[0];
    match (op, first.state()) {
        (op, state) if is_spread(op) => {
            let correction = match op {
                Op::SampleVariance | Op::SampleDeviation => 1,
                _ => ddof.into(),
            };
            let squares = merged.get(1).and_then(Merger::state);
            let is_root = matches!(op, Op::Deviation | Op::SampleDeviation);
            let variance = match state.zip(squares) {
                // Only a wrong GPU gives different counts.
                Some((sum, squares)) if sum.count() == squares.count() => {
                    exact::variance(sum, squares, correction)
                }
                Some(_) => f64::NAN,
                None if is_root => return real(first.deviation(n, correction)),
                None => first.variance(n, correction),
            };
            real(if is_root { variance.sqrt() } else { variance })
        }
        (Op::L2, Some(squares)) => real(squares.to_f64().sqrt()),
        (Op::L2, None) => match first.squares() {
            Some(squares) => real((squares as f64).sqrt()),
            None => Some(first.finish(n)),
        },
        (Op::Mean, Some(sum)) => Some(Scalar::One(sum.mean())),
        (Op::Mean, None) => real(first.mean(n)),
        (Op::Covariance, None) => real(first.variance(n, ddof.into())),
        (_, Some(sum)) => Some(Scalar::One(sum.sum())),
        (Op::Dot, None) if stored == Stored::Bool => {
            let is_any = first.integer().is_some_and(|total| total != 0);
            Some(Scalar::One(Value::Unsigned(is_any.into())))
        }
        _ => Some(match first.finish(n) {
            Scalar::One(value) => Scalar::One(narrowed(op, stored, value)),
            other => other,
        }),
    }
}

/// Returns an integer in the elements' type if the operator keeps it, else in 64 bits if it fits.
fn narrowed(op: Op, stored: Stored, value: Value) -> Value {
    let is_own = matches!(op, Op::Dot | Op::And | Op::Or | Op::Xor);
    match (stored, value) {
        (Stored::Bool, Value::Unsigned(x)) if is_own => Value::Unsigned((x != 0).into()),
        (Stored::U8, Value::Unsigned(x)) if is_own => Value::Unsigned((x as u8).into()),
        (Stored::U16, Value::Unsigned(x)) if is_own => Value::Unsigned((x as u16).into()),
        (Stored::I8, Value::Signed(x)) if is_own => Value::Signed((x as i8).into()),
        (Stored::I16, Value::Signed(x)) if is_own => Value::Signed((x as i16).into()),
        (Stored::Element(Element::I64), Value::Wide(x)) if op == Op::WideSum => {
            i64::try_from(x).map_or(value, Value::Signed)
        }
        (_, Value::Wide(x)) => u64::try_from(x).map_or(value, Value::Unsigned),
        (_, value) => value,
    }
}

/// Returns the maximum minus the minimum. Integers wrap, as in NumPy.
pub fn peak_to_peak(range: Scalar) -> Scalar {
    let Scalar::Range { min, max } = range else { return range };
    Scalar::One(match (min, max) {
        (Value::Unsigned(min), Value::Unsigned(max)) => Value::Unsigned(max - min),
        (Value::Signed(min), Value::Signed(max)) => Value::Signed(max.wrapping_sub(min)),
        (Value::F32(min), Value::F32(max)) => Value::F32(max - min),
        (min, max) => Value::F64(max.as_f64() - min.as_f64()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of an operator whose pieces left some states, of one element each.
    fn result<const N: usize>(op: Op, stored: Stored, states: &[[u8; N]]) -> Option<Scalar> {
        let element = stored.element();
        let part = of(op, element, Accuracy::Fast)[0];
        let mut merger = part.merger().unwrap();
        states.iter().for_each(|state| merger.add(state, 0).unwrap());
        finish((op, 0), stored, &[merger], states.len() as u64)
    }

    #[test]
    fn states_are_defined_where_the_operator_is() {
        for &op in Op::ALL {
            for element in Element::ALL {
                for accuracy in [Accuracy::Fast, Accuracy::Exact] {
                    let mut parts = of(op, element, accuracy).into_iter();
                    assert_eq!(
                        parts.all(|part| part.merger().is_some()),
                        op.is_over(element),
                        "{op} of {element}"
                    );
                }
            }
        }
    }

    #[test]
    fn integers_wrap_where_numpys_do() {
        let value = |value| Some(Scalar::One(value));
        let most = u64::MAX.to_ne_bytes();
        let three = 3u64.to_ne_bytes();
        assert_eq!(result(Op::Sum, Element::U64.into(), &[most, three]), value(Value::Unsigned(2)));
        assert_eq!(result(Op::Product, Element::I32.into(), &[most, three]), value(Value::Signed(-3)));
        let dot = |stored, sum: i32| result(Op::Dot, stored, &[sum.to_ne_bytes()]);
        for (stored, sum, expected) in [
            (Stored::U8, 257, Value::Unsigned(1)),
            (Stored::I8, 128, Value::Signed(-128)),
            (Stored::U16, -1, Value::Unsigned(65535)),
            (Stored::I16, -1, Value::Signed(-1)),
            // Those of Booleans do not wrap.
            (Stored::Bool, 256, Value::Unsigned(1)),
            (Stored::Bool, 0, Value::Unsigned(0)),
        ] {
            assert_eq!(dot(stored, sum), value(expected), "{stored}");
        }
        let state = (1u32 << 31).to_ne_bytes();
        assert_eq!(result(Op::Dot, Stored::Bool, &[state, state]), value(Value::Unsigned(1)));
        let halves = [i64::MIN >> 32, 0].map(i64::to_ne_bytes).concat();
        let halves: [u8; 16] = halves.try_into().unwrap();
        assert_eq!(result(Op::WideSum, Element::I64.into(), &[halves]), value(Value::Signed(i64::MIN)));
        assert_eq!(result(Op::WideSum, Element::I64.into(), &[halves; 2]), value(Value::Wide(-1 << 64)));
    }
}
