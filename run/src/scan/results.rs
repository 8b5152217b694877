//! The results of pieces on their way to the file.

use std::borrow::Cow;

use halofold::reduce::Scalar;
use halofold::wgpu::Limits;

use super::kernel::Prefixes;
use super::reference::Reference;
use crate::failure::Failure;
use crate::files::Stored;
use crate::reduce::check::Check;
use crate::reduce::dtype;
use crate::reduce::layout::Share;

/// The results of all pieces, one after the other.
pub struct Results<'a> {
    prefixes: &'a Prefixes,
    dtype: Stored,
    /// The places of a block's results in the order of the lines: lengths and strides, the innermost first; none if they lie so.
    places: Vec<[u64; 2]>,
    reference: Option<Reference>,
    /// The combinations on the longest way to a result of the last piece.
    depth: u64,
}

impl<'a> Results<'a> {
    /// None yet; they become elements of a type.
    pub fn new(
        prefixes: &'a Prefixes,
        dtype: Stored,
        places: Vec<[u64; 2]>,
        reference: Option<Reference>,
    ) -> Self {
        Results { prefixes, dtype, places, reference, depth: 0 }
    }

    /// Takes the results of the next piece, and returns them as they lie in the file.
    pub fn next<'b>(
        &mut self,
        share: &Share,
        made: &'b [u8],
        limits: &Limits,
    ) -> Result<Cow<'b, [u8]>, Failure> {
        let size = self.prefixes.size() as usize;
        let made = &made[..share.elements() as usize * size];
        let placed = if self.places.is_empty() {
            Cow::Borrowed(made)
        } else {
            Cow::Owned(placed(made, size, &self.places))
        };
        let before = if share.before == 0 { 0 } else { self.depth };
        self.depth = before + self.prefixes.depth(share.elements(), limits);
        if let Some(reference) = &mut self.reference {
            reference.judge(&self.prefixes.answers(&placed), self.depth)?;
        }
        Ok(self.encoded(placed))
    }

    /// The verdict on all.
    pub fn check(self) -> Check {
        self.reference.map_or(Check::Unchecked, Reference::check)
    }

    /// Results as elements of the file. Those of no elements may lie beyond a narrow type: its last number is there in their place.
    fn encoded<'b>(&self, results: Cow<'b, [u8]>) -> Cow<'b, [u8]> {
        if self.dtype.size() == self.prefixes.size() && cfg!(target_endian = "little") {
            return results;
        }
        let mut bytes = Vec::new();
        for value in self.prefixes.answers(&results).into_iter().filter_map(Scalar::value) {
            dtype::encode(self.dtype, Some(Scalar::One(dtype::closest(self.dtype, value))), &mut bytes);
        }
        bytes.into()
    }
}

/// Results that come line by line, in the places of their elements.
fn placed(results: &[u8], size: usize, places: &[[u64; 2]]) -> Vec<u8> {
    let mut placed = vec![0; results.len()];
    for (number, result) in (0u64..).zip(results.chunks_exact(size)) {
        let mut left = number;
        let mut at = 0;
        for (dimension, [len, stride]) in places.iter().enumerate() {
            // The last one is as long as it takes.
            let is_last = dimension + 1 == places.len();
            at += stride * if is_last { left } else { left % len };
            left /= len;
        }
        placed[at as usize * size..][..size].copy_from_slice(result);
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::placed;

    #[test]
    fn results_of_lines_go_to_their_elements() {
        // Two planes of three rows of two, scanned along the rows.
        let places = [[3, 2], [2, 1], [2, 6]];
        let lines = [0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11];
        assert_eq!(placed(&lines, 1, &places), (0..12).collect::<Vec<u8>>());
    }
}
