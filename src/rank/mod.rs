//! Order statistics: medians, quantiles, the k-th smallest element, the k largest.
//!
//! ```
//! use halofold::rank::Quantiles;
//! use halofold::{Compiled, Element, Options};
//!
//! # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
//! # let samples: Vec<f32> = (0..1001).map(|i| i as f32).collect();
//! # let samples = buffer(bytemuck::cast_slice(&samples));
//! let quartiles = Compiled::new(&device, Quantiles::new(Element::F32, [0.25, 0.5, 0.75]), &Options::default())?;
//! let values: Vec<f32> = quartiles.of(&samples).run(&queue)?;
//! assert_eq!(values, [250.0, 500.0, 750.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Order
//!
//! Elements are in NumPy's order: NaNs come last, all of them are equal, and −0 equals 0. A result that is an element is 0 for either zero, and
//! the usual NaN for any NaN. A quantile of elements with a NaN is NaN, as in NumPy; the k-th smallest element is not.
//!
//! # Cost
//!
//! A long row is read once. A sample of 2^12 to 2^18 of its elements, read first, says between which two elements a quantile lies, almost
//! surely: its bracket. The read counts the elements below the bracket, and writes down those inside, a few of a hundred. What remains is a
//! search among these. If a bracket misses, which happens in one of some ten thousand rows, the search is among all elements: three or four
//! reads more. The GPU decides that by itself, and the results never depend on the sample. Up to five quantiles share a read, but a large GPU
//! then waits for instructions, not for memory: each further one takes about a third as long as a read.
//!
//! A row of up to 2^15 elements takes a workgroup, and all rows one dispatch, which reads each once; of many rows with few winners, those
//! of up to 2^18 do so, too. Winners are ranked by comparing each with all others, up to 1024 at a time: hundreds of a short row take
//! longer than the row's other work. Rows of elements of 64 bits are read as long ones are.
//!
//! Segments between offsets are rows of any lengths. Short ones next to each other share a dispatch, which reads each once, and a list with 16 bytes
//! for each result; of many, those of up to 2^18 elements are short. Each other one, and each of elements of
//! 64 bits, takes the dispatches of a whole input, in the same memory.
//!
//! Elements of 64 bits take twice as much memory, and six rounds of the search in place of three, but no feature of a device.
//!
//! The k first elements of longer rows are the first of some more candidates, which are sorted: each fourfold k takes one more pass over
//! them. If k is more than a sixteenth of a row, its read takes longer, too.
//!
//! A [`Bound`](crate::Bound) owns the memory for the sample and the candidates: about a thirtieth of the input for each quantile, and for k
//! winners 16 bytes for each candidate, of which there are some 2k, or 100 000 of 2^28 elements if k is small. Recording allocates nothing.

mod bracket;
mod counted;
mod kernels;
mod method;
mod pipeline;
mod quantiles;
pub mod reference;
mod rows;
mod selection;
mod shape;
mod top_k;
mod values;

pub use method::Method;
pub use quantiles::Quantiles;
pub use top_k::{Outputs, Ranked, TopK};
pub use values::between;
