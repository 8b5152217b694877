//! The results of pieces on their way to the file.

use std::borrow::Cow;

use halofold::reduce::Scalar;
use halofold::wgpu::Limits;

use super::AT_ONCE;
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
            reference.judge(&placed, self.prefixes, self.depth)?;
        }
        encoded(self.prefixes, self.dtype, placed)
    }

    /// The verdict on all.
    pub fn check(self) -> Check {
        self.reference.map_or(Check::Unchecked, Reference::check)
    }
}

/// Results as elements of the file. Those of no elements may lie beyond a narrow type: its last number is there in their place.
fn encoded<'a>(prefixes: &Prefixes, dtype: Stored, results: Cow<'a, [u8]>) -> Result<Cow<'a, [u8]>, Failure> {
    if dtype.size() == prefixes.size() && cfg!(target_endian = "little") {
        return Ok(results);
    }
    let mut bytes = Vec::new();
    let elements =
        results.chunks((AT_ONCE * prefixes.size()) as usize).flat_map(|some| prefixes.answers(some));
    for answer in elements {
        let fitting = |value| if prefixes.is_exclusive() { dtype::closest(dtype, value) } else { value };
        let value = answer.value().map(|value| Scalar::One(fitting(value)));
        value.and_then(|value| dtype::encode(dtype, Some(value), &mut bytes)).ok_or_else(|| {
            Failure::usage(format!("the GPU's result {answer} does not fit {dtype}: the GPU is wrong"))
        })?;
    }
    Ok(bytes.into())
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
    use halofold::Element;
    use halofold::reduce::Op;

    use super::{Prefixes, Stored, encoded, placed};
    use crate::reduce::parts::Part;

    #[test]
    fn only_results_of_no_elements_may_lie_beyond_their_type() {
        let part = Part { op: Some(Op::Min), ..Part::own(Element::I32) };
        let narrow = |is_exclusive, result: i32| {
            let prefixes = Prefixes::new(part, is_exclusive, 2).unwrap();
            let results = [result, -3].map(i32::to_le_bytes).concat();
            encoded(&prefixes, Stored::I8, results.into()).map(Vec::from).ok()
        };
        assert_eq!(narrow(true, i32::MAX), Some(vec![127, 253]));
        assert_eq!(narrow(false, -128), Some(vec![128, 253]));
        assert_eq!(narrow(false, 128), None);
    }

    #[test]
    fn results_of_lines_go_to_their_elements() {
        // Two planes of three rows of two, scanned along the rows.
        let places = [[3, 2], [2, 1], [2, 6]];
        let lines = [0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11];
        assert_eq!(placed(&lines, 1, &places), (0..12).collect::<Vec<u8>>());
    }
}
