//! The rows in which elements are ranked.

use crate::operation::OperationError;

/// The rows of an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rows {
    /// All elements are one row.
    All,
    /// Rows of so many elements.
    Of(u64),
}

impl Rows {
    /// The elements of a row, and the number of rows, of so many elements.
    pub(super) fn shape(self, len: u64) -> Result<(u64, u64), OperationError> {
        match self {
            Rows::All => Ok((len, 1)),
            Rows::Of(row) if row > 0 && len.is_multiple_of(row) => Ok((row, len / row)),
            Rows::Of(row) => Err(OperationError::Rows { len, row }),
        }
    }

    /// The elements of a row, if their number is known.
    pub(super) fn len(self) -> Option<u64> {
        match self {
            Rows::All => None,
            Rows::Of(row) => Some(row),
        }
    }

    /// The number of rows that have results.
    pub(super) fn number(self, len: u64) -> u64 {
        match self {
            Rows::All => 1,
            Rows::Of(row) => len / row.max(1),
        }
    }
}
