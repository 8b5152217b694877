//! How the states of all ranks become one.

use halofold::reduce::exact::{State, StateError};
use mpi::collective::SystemOperation;

use crate::Ranks;

/// How words of 64 bits are merged, those of two states or of all ranks: one of MPI's own operations each, which give the same
/// words in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// The sum, modulo 2^64.
    Sum,
    /// The least, as signed integers.
    Least,
    /// The greatest, as signed integers.
    Greatest,
}

impl Merge {
    /// Merges some words into others.
    pub fn merge(self, into: &mut [i64], words: &[i64]) {
        for (into, word) in into.iter_mut().zip(words) {
            *into = match self {
                Merge::Sum => into.wrapping_add(*word),
                Merge::Least => (*into).min(*word),
                Merge::Greatest => (*into).max(*word),
            };
        }
    }

    /// Merges the words of all ranks, each of which has as many; every rank gets the result. All ranks call this together.
    pub fn all(self, ranks: &Ranks, words: &[i64]) -> Vec<i64> {
        match self {
            // Sums of unsigned integers wrap in every MPI, and have the same bits.
            Merge::Sum => {
                let sums = ranks.all::<u64>(bytemuck::cast_slice(words), SystemOperation::sum());
                sums.into_iter().map(u64::cast_signed).collect()
            }
            Merge::Least => ranks.all(words, SystemOperation::min()),
            Merge::Greatest => ranks.all(words, SystemOperation::max()),
        }
    }
}

/// Adds up the exact states of all ranks; every rank gets the sum of all. All ranks call this together, with states of one format.
///
/// # Errors
///
/// The states were of several formats with equally many words, which no two formats have today.
pub fn all_reduce(ranks: &Ranks, state: &State) -> Result<State, StateError> {
    State::from_words(Merge::Sum.all(ranks, &state.words()))
}

#[cfg(test)]
mod tests {
    use halofold::Element;
    use halofold::reduce::exact::{Format, State};

    use super::Merge;

    #[test]
    fn words_add_up_to_the_state_of_all() {
        let numbers = [1e30f32, -0.0, 1e-40, -1e30, f32::MAX, f32::MAX];
        let state = |numbers: &[f32]| {
            let mut state = State::new(Format::Single);
            state.add(Element::F32, bytemuck::cast_slice(numbers));
            state
        };
        for cut in 0..=numbers.len() {
            let mut words = state(&numbers[..cut]).words();
            Merge::Sum.merge(&mut words, &state(&numbers[cut..]).words());
            let merged = State::from_words(words).unwrap();
            assert!(merged.sum().same(state(&numbers).sum()), "{cut}");
            assert_eq!(merged.count(), 6);
        }
    }

    #[test]
    fn words_are_compared_as_signed_integers() {
        let mut words = [i64::MAX, -1, 3];
        Merge::Least.merge(&mut words, &[0, 1, 3]);
        assert_eq!(words, [0, -1, 3]);
        Merge::Greatest.merge(&mut words, &[i64::MIN, 1, 4]);
        assert_eq!(words, [0, 1, 4]);
        Merge::Sum.merge(&mut words, &[-1, i64::MAX, 1]);
        assert_eq!(words, [-1, i64::MIN, 5]);
    }
}
