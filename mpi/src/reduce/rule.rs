//! What an operator is over ranks: what the GPU makes of a piece, and how words are merged and finished.

use halofold::reduce::exact::{Format, State};
use halofold::reduce::{Accuracy, Op, Options, reference};
use halofold::{Element, Value};
use halofold_mpi::Merge;

/// The operators that have the same result for any number of ranks, and the types they have it for.
pub const OPS: &str = "sum of every type, mean of floats, dot of f32 and of integers, min and max";

/// An operator over an element type.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// What was asked for.
    asked: Op,
    element: Element,
    /// The format of exact states, if it has them.
    format: Option<Format>,
    /// How words are merged.
    pub merge: Merge,
}

impl Rule {
    /// The rule of an operator; `None` if it has none.
    pub fn of(asked: Op, element: Element) -> Option<Self> {
        let format = Format::of(asked, element);
        let merge = match asked {
            _ if format.is_some() => Merge::Sum,
            Op::Sum | Op::Dot if !element.is_float() => Merge::Sum,
            Op::Min => Merge::Least,
            Op::Max => Merge::Greatest,
            _ => return None,
        };
        Some(Rule { asked, element, format, merge })
    }

    /// What the GPU computes: as in NumPy, sums of 32-bit integers are 64 bits wide.
    pub fn op(self) -> Op {
        match (self.asked, self.element) {
            (Op::Sum, Element::U32 | Element::I32) => Op::WideSum,
            // A mean finishes the state of a sum.
            (Op::Mean, _) => Op::Sum,
            (op, _) => op,
        }
    }

    /// How the GPU computes it.
    pub fn options(self) -> Options<'static> {
        let accuracy = if self.format.is_some() { Accuracy::Exact } else { Accuracy::Fast };
        Options::default().with_to_states(true).with_accuracy(accuracy)
    }

    /// The words of no elements.
    pub fn nothing(self) -> Vec<i64> {
        match (self.format, self.merge) {
            (Some(format), _) => State::new(format).words(),
            (None, Merge::Sum) => vec![0],
            (None, Merge::Least) => vec![i64::MAX],
            (None, Merge::Greatest) => vec![i64::MIN],
        }
    }

    /// The words of a state that the GPU has left: they are merged word by word.
    pub fn words(self, state: &[u8]) -> Vec<i64> {
        match *state {
            [a, b, c, d] if self.element == Element::U32 => vec![u32::from_le_bytes([a, b, c, d]).into()],
            [a, b, c, d] => vec![i32::from_le_bytes([a, b, c, d]).into()],
            _ => {
                let words = state.as_chunks::<8>().0.iter().map(|word| i64::from_le_bytes(*word));
                words.map(|word| self.turned(word)).collect()
            }
        }
    }

    /// Unsigned words that are compared, as signed ones in the same order, and back.
    fn turned(self, word: i64) -> i64 {
        if self.element == Element::U64 && self.merge != Merge::Sum { word ^ i64::MIN } else { word }
    }

    /// The value of the words of `n` elements; `None` of no elements, where there is none.
    pub fn finish(self, words: Vec<i64>, n: u64) -> Option<Value> {
        if self.format.is_some() {
            let state = State::from_words(words).ok()?;
            return Some(if self.asked == Op::Mean { state.mean() } else { state.sum() });
        }
        if n == 0 && self.merge != Merge::Sum {
            return None;
        }
        let is_short = self.element.size() < 8 && self.op() != Op::WideSum;
        let bytes = |word: &i64| match is_short {
            true => (*word as u32).to_ne_bytes().to_vec(),
            false => self.turned(*word).to_ne_bytes().to_vec(),
        };
        reference::combine(self.op(), self.element, &words.iter().flat_map(bytes).collect::<Vec<_>>(), n)?
            .value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The state of elements as the GPU would leave it, by the words that one element has.
    fn merged(rule: Rule, states: &[&[u8]]) -> Value {
        let mut words = rule.nothing();
        for state in states {
            rule.merge.merge(&mut words, &rule.words(state));
        }
        rule.finish(words, states.len() as u64).unwrap()
    }

    #[test]
    fn keys_are_compared_in_the_order_of_their_elements() {
        let least = |element, states: &[&[u8]]| merged(Rule::of(Op::Min, element).unwrap(), states);
        let greatest = |element, states: &[&[u8]]| merged(Rule::of(Op::Max, element).unwrap(), states);
        let [one, top] = [1u64.to_le_bytes(), u64::MAX.to_le_bytes()];
        assert_eq!(least(Element::U64, &[&one, &top]), Value::Unsigned(1));
        assert_eq!(greatest(Element::U64, &[&one, &top]), Value::Unsigned(u64::MAX));
        assert_eq!(greatest(Element::I64, &[&one, &top]), Value::Signed(1));
        assert_eq!(greatest(Element::U32, &[&one[..4], &top[..4]]), Value::Unsigned(u32::MAX.into()));
        assert_eq!(least(Element::I32, &[&one[..4], &top[..4]]), Value::Signed(-1));
        // The key of a float: its bits, all but the sign flipped if it is negative.
        let key = |x: f32| {
            let bits = x.to_bits().cast_signed();
            (if bits < 0 { bits ^ i32::MAX } else { bits }).to_le_bytes()
        };
        assert_eq!(least(Element::F32, &[&key(1.5), &key(-2.5), &key(-0.5)]), Value::F32(-2.5));
        assert_eq!(greatest(Element::F32, &[&key(-1.5), &key(-2.5)]), Value::F32(-1.5));
    }

    #[test]
    fn sums_of_integers_have_numpys_width() {
        let sum = |element, states: &[&[u8]]| merged(Rule::of(Op::Sum, element).unwrap(), states);
        let [wide, top] = [(1i64 << 40).to_le_bytes(), (-1i64).to_le_bytes()];
        assert_eq!(sum(Element::I32, &[&wide, &top]), Value::Signed((1 << 40) - 1));
        assert_eq!(sum(Element::U64, &[&wide, &top]), Value::Unsigned((1 << 40) - 1));
        let dot = Rule::of(Op::Dot, Element::U32).unwrap();
        assert_eq!(merged(dot, &[&top[..4], &top[..4]]), Value::Unsigned(u64::from(u32::MAX) - 1));
    }

    #[test]
    fn nothing_has_numpys_value() {
        for (op, element, value) in [
            (Op::Sum, Element::F64, Some(Value::F64(0.0))),
            (Op::Sum, Element::U32, Some(Value::Unsigned(0))),
            (Op::Dot, Element::F32, Some(Value::F32(0.0))),
            (Op::Min, Element::F16, None),
            (Op::Max, Element::I64, None),
        ] {
            let rule = Rule::of(op, element).unwrap();
            assert_eq!(rule.finish(rule.nothing(), 0), value, "{op} of {element}");
        }
        let mean = Rule::of(Op::Mean, Element::F32).unwrap();
        assert!(mean.finish(mean.nothing(), 0).unwrap().as_f64().is_nan());
    }

    #[test]
    fn what_depends_on_the_number_of_ranks_has_no_rule() {
        for (op, element) in [(Op::Product, Element::F32), (Op::Dot, Element::F64), (Op::Mean, Element::I32)]
        {
            assert!(Rule::of(op, element).is_none(), "{op} of {element}");
        }
    }
}
