//! Tables of refusals: what was wrong, the kind of its error, and the words that the error must contain.

use std::fmt::{Debug, Display};

/// Checks the kind of each error, as `Debug` writes it, and that its text names what to look at: words between semicolons.
#[track_caller]
pub fn check<E: Debug + Display, W: AsRef<str>>(refusals: impl IntoIterator<Item = (E, &'static str, W)>) {
    for (number, (error, kind, words)) in refusals.into_iter().enumerate() {
        let (text, found) = (error.to_string(), format!("{error:?}"));
        assert!(found.starts_with(kind), "refusal {number} is {found}, not {kind}");
        for word in words.as_ref().split("; ") {
            assert!(text.contains(word), "refusal {number}: `{word}` is not in: {text}");
        }
    }
}
