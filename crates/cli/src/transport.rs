//! The processes that work on one request together.

use crate::failure::Failure;

/// One or several processes, each of which does a share of the work. All of them make the same calls in the same order.
pub trait Transport {
    /// This process, from 0, and how many there are.
    fn place(&self) -> [usize; 2];

    /// Makes all processes fail if one does.
    fn agree<T>(&self, result: Result<T, Failure>) -> Result<T, Failure>;

    /// The bytes of all processes in their order, on the first one; `None` on the others.
    fn gather(&self, bytes: &[u8]) -> Option<Vec<Vec<u8>>>;

    /// True for the first process, which prints and writes.
    fn is_first(&self) -> bool {
        self.place()[0] == 0
    }

    fn is_alone(&self) -> bool {
        self.place()[1] == 1
    }
}

pub struct Alone;

impl Transport for Alone {
    fn place(&self) -> [usize; 2] {
        [0, 1]
    }

    fn agree<T>(&self, result: Result<T, Failure>) -> Result<T, Failure> {
        result
    }

    fn gather(&self, bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
        Some(vec![bytes.to_vec()])
    }
}

/// Refuses a stream, of which several processes cannot each read a part.
pub fn refuse_stream(name: &str) -> Failure {
    refusal!("{name}: ranks read parts of files, not streams")
}
