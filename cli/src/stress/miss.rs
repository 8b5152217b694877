//! The evidence of a wrong result.

use std::fmt;
use std::ops::Range;

/// A reduction whose result was wrong.
pub struct Miss {
    /// Operator, type and how it was reduced.
    pub kind: String,
    /// The elements.
    pub part: Range<usize>,
    /// Workgroups that were to meet.
    pub workgroups: u64,
    /// The words of the result.
    pub got: Vec<u32>,
    /// What they should have been.
    pub want: Vec<u32>,
    /// Whether nothing was written at all.
    pub untouched: bool,
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Miss { kind, part: Range { start, end }, workgroups, got, want, untouched } = self;
        write!(f, "{kind}: {} elements from number {start} on, {workgroups} workgroups: ", end - start)?;
        write!(f, "got {}, want {}", words(got), words(want))?;
        if *untouched { write!(f, " (no result was written)") } else { Ok(()) }
    }
}

fn words(words: &[u32]) -> String {
    words.iter().map(|word| format!("{word:#010x}")).collect::<Vec<_>>().join(" ")
}
