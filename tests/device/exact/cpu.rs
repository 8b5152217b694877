//! The reference on the CPU against whole numbers of any length.

use halofold::reduce::Op;
use halofold::reduce::exact::{Format, State, StateError};
use halofold::{Element, Value};

use super::arrays::{Hard, array};
use crate::common::oracle::expected;

/// Operators that have exact forms, with their elements.
pub fn cases() -> Vec<(Op, Element)> {
    let of = |op: Op| Element::ALL.map(|element| (op, element));
    let all = Op::ALL.iter().flat_map(|op| of(*op));
    all.filter(|(op, element)| Format::of(*op, *element).is_some()).collect()
}

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

/// A second input for dot products.
pub fn second(op: Op, hard: Hard, element: Element, len: usize, seed: u64) -> Option<Vec<u8>> {
    (op == Op::Dot).then(|| array(hard, element, len, seed ^ 0x5555_5555))
}

/// The state of some elements.
pub fn state(op: Op, element: Element, first: &[u8], second: Option<&[u8]>) -> State {
    let mut state = State::new(Format::of(op, element).unwrap());
    state.add_of(op, element, first, second);
    state
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
                let first = array(hard, element, len, round);
                let second = second(op, hard, element, len, round);
                let got = finished(op, &state(op, element, &first, second.as_deref()));
                let wanted = expected(op, element, &first, second.as_deref());
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
            let len = 600;
            let first = array(hard, element, len, 5);
            let second = second(op, hard, element, len, 5);
            let wanted = expected(op, element, &first, second.as_deref());
            let size = element.size() as usize;
            let mut words = vec![0i64; Format::of(op, element).unwrap().words()];
            // Backwards, in parts of different lengths.
            for (from, to) in [(599, 600), (220, 599), (7, 220), (7, 7), (0, 7)] {
                let range = from * size..to * size;
                let part =
                    state(op, element, &first[range.clone()], second.as_ref().map(|second| &second[range]));
                words.iter_mut().zip(part.words()).for_each(|(sum, word)| *sum = sum.wrapping_add(word));
            }
            let merged = State::from_words(words).unwrap();
            assert_eq!(finished(op, &merged), wanted, "{op} of {hard:?} {element}");
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
    assert_eq!(State::from_words(vec![0; 5]), Err(StateError::Length(5)));
    assert!(matches!(State::from_words(vec![0; 16]), Err(StateError::Format { .. })));
    let mut words = State::new(Format::Single).words();
    words[0] += 1 << 40;
    assert!(matches!(State::from_words(words), Err(StateError::Format { .. })));
    assert!(matches!(State::from_bytes(&[0; 129]), Err(StateError::Length(_))));
    let mut single = State::new(Format::Single);
    let mixed = single.merge(&State::new(Format::Double));
    assert_eq!(mixed, Err(StateError::Mixed(Format::Single, Format::Double)));
}
