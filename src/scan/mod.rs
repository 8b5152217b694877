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
//! Elements are combined in their order, so `combine` of an operator of your own need not commute. The tree is fixed by the lengths: the same bits
//! every time on the same device. [`Scan::depth`] counts the roundings of a float prefix: those inside a tile and inside a block of 256 tiles, and
//! one for each block before. Exact sums, which [`Monoid::exact`](crate::reduce::Monoid::exact) makes of sums of `f32` and `f16`, are rounded once: a
//! prefix has the bits of [`reduce::exact`](crate::reduce::exact), on every GPU.
//!
//! An input that is larger than a buffer comes in [parts](Scan::continuing), each of which goes on where the one before has ended. Then the tree is
//! fixed by the lengths of the parts, too.
//!
//! # Cost
//!
//! The input is read once, and the results are written once, in one dispatch; a last tile that is not full takes a second one. A tile has 8192
//! elements, 4096 with accumulators of 5 to 8 bytes, and fewer with those of 64 bytes and more. Accumulators of more than 8 bytes and elements of your own
//! type load a tile a second time, from the cache. Workgroups hand their sums on (`shaders/lib/grid/chain.wgsl`), but no result depends on
//! another workgroup's progress: what is not there after a while is computed again. Rows take the same time, whatever their length.
//! Segments between offsets take a search among these for every four elements, and one storage buffer more. A part takes two dispatches more.
//!
//! Kernels need four storage buffers in a shader. A [`Bound`](crate::Bound) owns the memory for states, which is never a workspace's: for each
//! tile 64 bytes, or four times an accumulator if that is more. Recording allocates nothing. Inputs and outputs larger than a binding are cut into windows.

mod config;
pub(crate) mod kernels;
pub(crate) mod plan;

pub use config::{Outputs, Progress, Scan};
