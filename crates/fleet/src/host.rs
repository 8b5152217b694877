//! Elements in host memory, on their way to a GPU: their order, their types, and the lines that they are reduced by.
//!
//! These loops look at every element of a file, so they are compiled with all optimisations, and most run in all threads.

mod labels;
mod lines;
mod order;
mod types;

pub use labels::{lines_of_groups, numbered};
pub use lines::{Batch, Lines, has_left_out, leave_out_false, leave_out_nans, lines_of_rows};
pub use order::{permuted, swap_bytes};
pub use types::{convert, finite_range, narrowed, shades, truths, values, widened};

use rayon::prelude::*;

/// Bytes that a thread writes at a time: a multiple of all elements' sizes.
const CHUNK: usize = 1 << 18;

/// Has threads write parts of `target`: each is given the byte that its part begins at, and the part.
fn in_parallel(target: &mut [u8], write: &(dyn Fn(usize, &mut [u8]) + Sync)) {
    target.par_chunks_mut(CHUNK).enumerate().for_each(|(nth, part)| write(nth * CHUNK, part));
}
