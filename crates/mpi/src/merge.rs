//! The sum of the states of all ranks.

use halofold::reduce::exact::State;

use crate::Ranks;

/// Adds up the exact states of all ranks; every rank gets the sum of all. All ranks call this together, with states of one format.
///
/// # Errors
///
/// The states were of several formats with equally many words, which no two formats have today.
pub fn all_reduce(ranks: &Ranks, state: &State) -> Result<State, halofold::Error> {
    State::from_words(ranks.sum(&state.words()))
}
