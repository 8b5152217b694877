//! Prefixes: the sums of all elements up to each, and the same with any other operator.
//!
//! ```
//! use halofold::reduce::Op;
//! use halofold::scan::Scan;
//! use halofold::{Compiled, Element, Options};
//!
//! # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
//! # let counts = buffer(bytemuck::cast_slice(&[3u32, 1, 4, 1, 5]));
//! // Where each of some lists begins, from the number of its entries: 3, 1, 4, 1, 5.
//! let offsets = Compiled::new(&device, Scan::new(Op::Sum.over(Element::U32)?).exclusive(), &Options::default())?;
//! let offsets: Vec<u32> = offsets.of(&counts).run(&queue)?;
//! assert_eq!(offsets, [0, 3, 4, 8, 9]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Order
//!
//! Elements are combined in their order, so `combine` of an operator of your own need not commute. The tree is fixed by the lengths: the
//! same bits every time on the same device. Sums of floats are rounded as in other orders; the error of a prefix grows with the logarithm of its length.
//! Exact sums, which [`Monoid::exact`](crate::reduce::Monoid::exact) makes of sums of `f32` and `f16`, are rounded once: a prefix has the bits of
//! [`reduce::exact`](crate::reduce::exact), on every GPU.
//!
//! An input that is larger than a buffer comes in [parts](Scan::continuing), each of which goes on where the one before has ended. Then the tree is
//! fixed by the lengths of the parts, too.
//!
//! # Cost
//!
//! The input is read twice, and the results are written once. A tile has 4096 elements, fewer if an accumulator has more than 12 bytes.
//! An input of one tile takes one dispatch; one of up to 16 million elements takes three or four; longer ones take two more. No
//! workgroup waits for another. Rows cost nothing: a row of two elements, or of a million, takes the time of any other.
//! Segments between offsets take a search among these for every four elements, and one storage buffer more. A part takes two dispatches more.
//!
//! Kernels need four storage buffers in a shader. A [`Bound`](crate::Bound) owns the memory for states: an
//! accumulator for each tile. Recording allocates nothing. Inputs and outputs larger than a binding are cut into windows.

mod config;
pub(crate) mod kernels;
pub(crate) mod plan;

pub use config::{Outputs, Scan};
