//! The reference on the CPU against whole numbers of any length.

use halofold::Element;
use halofold::reduce::exact::{Format, State};

use super::arrays::Hard;
use super::bench::{Arrays, bits, cases, finished};
use crate::cut::Cut;
use crate::refusals;

/// Sums of one state, and of several, which merge by adding their words.
#[test]
fn the_reference_is_right_to_the_last_bit() {
    for (case, hard) in cases().into_iter().flat_map(|case| Hard::ALL.map(|hard| (case, hard))) {
        for round in 0..120u64 {
            let len = [0, 1, 2, 3, 4, 5, 17, 100, 999][(round % 9) as usize];
            let arrays = Arrays::new(case, hard, &Cut::whole(len), round);
            let (got, want) = (finished(case.0, &arrays.state()), arrays.expected());
            assert_eq!(got, want, "{case:?} of {len} {hard:?}, round {round}: {got:#x} {want:#x}");
        }
        let arrays = Arrays::new(case, hard, &Cut::whole(600), 5);
        let mut words = vec![0i64; Format::of(case.0, case.1).unwrap().words()];
        let mut total = arrays.pick(0..0).state();
        // Backwards, in parts of different lengths.
        for range in [599..600, 220..599, 7..220, 7..7, 0..7] {
            let part = arrays.pick(range).state();
            words.iter_mut().zip(part.words()).for_each(|(sum, word)| *sum = sum.wrapping_add(word));
            total.merge(&State::from_bytes(&part.to_bytes()).unwrap()).unwrap();
        }
        let merged = State::from_words(words).unwrap();
        assert_eq!(finished(case.0, &merged), arrays.expected(), "{case:?} of {hard:?}");
        assert_eq!(merged.count(), 600);
        assert_eq!(State::from_bytes(&merged.to_bytes()).unwrap().words(), merged.words());
        assert_eq!((finished(case.0, &total), total.count()), (arrays.expected(), 600));
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
    let mut words = State::new(Format::Single).words();
    words[0] += 1 << 40;
    let mut single = State::new(Format::Single);
    let mixed = single.merge(&State::new(Format::Double)).unwrap_err();
    let of_words = |words| State::from_words(words).unwrap_err();
    let (lengths, format) = ("an exact state has 16 (f32)", "is not of the format of");
    let states = format!("states of {} and of {}", Format::Single, Format::Double);
    refusals::check(
        [
            (of_words(vec![0; 5]), format!("5 words: {lengths}")),
            (of_words(vec![0; 16]), format!("the first word, 0x0, {format} {}", Format::Single)),
            (of_words(words), format!("{format} {}", Format::Single)),
            (State::from_bytes(&[0; 129]).unwrap_err(), format!("17 words: {lengths}")),
            (mixed, states),
        ]
        .map(|(error, words)| (error, "Data(Format(", words)),
    );
}
