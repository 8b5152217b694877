//! The reference on the CPU against whole numbers of any length.

use std::ops::Range;

use halofold::reduce::Op;
use halofold::reduce::ReduceError;
use halofold::reduce::exact::{Format, State};
use halofold::{Element, Value};

use super::arrays::{Hard, array};
use crate::common::in_turn;
use crate::common::oracle::expected;

/// Operators that have exact forms, with their elements.
pub fn cases() -> Vec<(Op, Element)> {
    let of = |op: Op| Element::ALL.map(|element| (op, element));
    let all = Op::ALL.iter().flat_map(|op| of(*op));
    let cases: Vec<_> = all.filter(|(op, element)| Format::of(*op, *element).is_some()).collect();
    assert_eq!(cases.len(), 10, "{cases:?}");
    cases
}

/// All of them on a GPU; on a software adapter, which compiles each kernel for seconds, those of one turn in four.
pub fn cases_in_turn(turn: usize) -> impl Iterator<Item = (Op, Element)> {
    in_turn(cases(), 4, turn)
}

/// Cases that cover each format, element and arity.
pub const SOME: [(Op, Element); 4] =
    [(Op::Sum, Element::F32), (Op::Mean, Element::F16), (Op::Sum, Element::F64), (Op::Dot, Element::F32)];

/// A result's bits, all NaNs alike.
pub fn bits(value: Value) -> u64 {
    match value {
        Value::F32(x) if x.is_nan() => 0x7fc0_0000,
        Value::F64(x) if x.is_nan() => 0x7ff8_0000_0000_0000,
        Value::F32(x) => x.to_bits().into(),
        Value::F64(x) => x.to_bits(),
        other => panic!("{other} is no float"),
    }
}

/// The inputs of an operator: one array, or two for dot products.
pub struct Arrays {
    pub op: Op,
    pub element: Element,
    pub first: Vec<u8>,
    pub second: Option<Vec<u8>>,
}

impl Arrays {
    pub fn new((op, element): (Op, Element), hard: Hard, len: usize, seed: u64) -> Self {
        let second = (op == Op::Dot).then(|| array(hard, element, len, seed ^ 0x5555_5555));
        Arrays { op, element, first: array(hard, element, len, seed), second }
    }

    /// The same of a part of each array.
    pub fn part(&self, of: impl Fn(&[u8]) -> Vec<u8>) -> Arrays {
        Arrays { first: of(&self.first), second: self.second.as_deref().map(of), ..*self }
    }

    /// The same of the elements in a range.
    pub fn range(&self, range: Range<usize>) -> Arrays {
        let size = self.element.size() as usize;
        self.part(|bytes| bytes[range.start * size..range.end * size].to_vec())
    }

    pub fn slices(&self) -> Vec<&[u8]> {
        std::iter::once(&self.first[..]).chain(self.second.as_deref()).collect()
    }

    /// The bits of the result, by whole numbers of any length.
    pub fn expected(&self) -> u64 {
        expected(self.op, self.element, &self.first, self.second.as_deref())
    }

    /// The state of all elements.
    pub fn state(&self) -> State {
        let mut state = State::new(Format::of(self.op, self.element).unwrap());
        state.add_of(self.op, self.element, &self.first, self.second.as_deref());
        state
    }
}

/// The bits of a state's result.
pub fn finished(op: Op, state: &State) -> u64 {
    bits(if op == Op::Mean { state.mean() } else { state.sum() })
}

#[test]
fn the_reference_is_right_to_the_last_bit() {
    for (op, element) in cases() {
        for hard in Hard::ALL {
            for round in 0..120u64 {
                let len = [0, 1, 2, 3, 4, 5, 17, 100, 999][(round % 9) as usize];
                let arrays = Arrays::new((op, element), hard, len, round);
                let (got, wanted) = (finished(op, &arrays.state()), arrays.expected());
                assert_eq!(
                    got, wanted,
                    "{op} of {len} {hard:?} {element}, round {round}: {got:#x} {wanted:#x}"
                );
            }
        }
    }
}

#[test]
fn states_merge_by_adding_their_words() {
    for (op, element) in cases() {
        for hard in Hard::ALL {
            let arrays = Arrays::new((op, element), hard, 600, 5);
            let mut words = vec![0i64; Format::of(op, element).unwrap().words()];
            // Backwards, in parts of different lengths.
            for range in [599..600, 220..599, 7..220, 7..7, 0..7] {
                let part = arrays.range(range).state();
                words.iter_mut().zip(part.words()).for_each(|(sum, word)| *sum = sum.wrapping_add(word));
            }
            let merged = State::from_words(words).unwrap();
            assert_eq!(finished(op, &merged), arrays.expected(), "{op} of {hard:?} {element}");
            assert_eq!(merged.count(), 600);
            let again = State::from_bytes(&merged.to_bytes()).unwrap();
            assert_eq!(again.words(), merged.words());
        }
    }
}

#[test]
fn many_states_do_not_overflow() {
    // The sum of 2^31 states of the largest digits.
    let mut state = State::new(Format::Single);
    for x in [f32::MAX, f32::MIN_POSITIVE, -1.5e20] {
        state.add(Element::F32, &x.to_le_bytes());
    }
    let words = state.words().into_iter().map(|word| word.wrapping_mul(1 << 31)).collect();
    let many = State::from_words(words).unwrap();
    assert_eq!((many.count(), bits(many.sum())), (3 << 31, u64::from(f32::INFINITY.to_bits())));
    let third = (f64::from(f32::MAX) + f64::from(f32::MIN_POSITIVE) - f64::from(-1.5e20f32).abs()) / 3.0;
    assert_eq!(bits(many.mean()), u64::from((third as f32).to_bits()));
}

#[test]
fn other_words_are_refused() {
    assert_eq!(State::from_words(vec![0; 5]), Err(ReduceError::StateLength(5)));
    assert!(matches!(State::from_words(vec![0; 16]), Err(ReduceError::StateFormat { .. })));
    let mut words = State::new(Format::Single).words();
    words[0] += 1 << 40;
    assert!(matches!(State::from_words(words), Err(ReduceError::StateFormat { .. })));
    assert!(matches!(State::from_bytes(&[0; 129]), Err(ReduceError::StateLength(_))));
    let mut single = State::new(Format::Single);
    let mixed = single.merge(&State::new(Format::Double));
    assert_eq!(mixed, Err(ReduceError::MixedStates(Format::Single, Format::Double)));
}
