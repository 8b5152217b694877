//! Results by group: of values and ids, a result for each id; of values and keys, one for each key, or for each run of equal neighbouring keys.
//!
//! [`GroupById`] takes two arrays of equal lengths: values, and the id of each value's group, a `u32` below a number of groups that you declare. Ids come in any
//! order. It gives several results of each group in one read of the pairs:
//!
//! ```
//! use halofold::{Compiled, Element, Options};
//! use halofold::group::{Group, GroupById, Pairs};
//!
//! # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
//! # let brightness = buffer(bytemuck::cast_slice(&[0.5f32, 1.0, 0.25, 3.0]));
//! # let labels = buffer(bytemuck::cast_slice(&[0u32, 2, 0, 2]));
//! let by_label = Compiled::new(&device, GroupById::new(Element::F32, 3).sum().count(), &Options::default())?;
//! let groups: Vec<Group<u32, f32>> = by_label.of(Pairs { keys: &labels, values: &brightness }).run(&queue)?;
//! let sums: Vec<_> = groups.iter().map(|group| (group.key, group.sum, group.count)).collect();
//! assert_eq!(sums, [(0, Some(0.75), Some(2)), (1, Some(0.0), Some(0)), (2, Some(4.0), Some(2))]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`GroupByKey`] does the same for keys that come in any order, of which only the most are declared. It finds the different keys first:
//!
//! ```
//! use halofold::{Compiled, Element, Options};
//! use halofold::group::{Group, GroupByKey, Pairs};
//!
//! # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
//! # let shops = buffer(bytemuck::cast_slice(&[907u32, 13, 907, 44, 13]));
//! # let sales = buffer(bytemuck::cast_slice(&[1.5f32, 2.0, 3.0, 10.0, 5.0]));
//! let by_shop = Compiled::new(&device, GroupByKey::new(Element::U32, Element::F32, 1000).sum().count(), &Options::default())?;
//! let shops: Vec<Group<u32, f32>> = by_shop.of(Pairs { keys: &shops, values: &sales }).run(&queue)?;
//! let sums: Vec<_> = shops.iter().map(|shop| (shop.key, shop.sum)).collect();
//! assert_eq!(sums, [(13, Some(7.0)), (44, Some(10.0)), (907, Some(4.5))]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`ReduceRuns`] takes keys and values, and reduces the values of each run of equal neighbouring keys; [`RunLengths`] takes keys alone:
//!
//! ```
//! use halofold::group::{Pairs, ReduceRuns, Run};
//! use halofold::reduce::Op;
//! use halofold::{Compiled, Element, Options};
//!
//! # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
//! # let days = buffer(bytemuck::cast_slice(&[20u32, 20, 20, 21, 21, 23]));
//! # let sales = buffer(bytemuck::cast_slice(&[1.5f32, 2.0, 3.0, 10.0, 5.0, 4.0]));
//! // Sales in the order of their days.
//! let by_day = Compiled::new(&device, ReduceRuns::new(Element::U32, Op::Sum.over(Element::F32)?), &Options::default())?;
//! let sums: Vec<Run<u32, f32>> = by_day.of(Pairs { keys: &days, values: &sales }).run(&queue)?;
//! let sums: Vec<_> = sums.iter().map(|day| (day.key, day.result)).collect();
//! assert_eq!(sums, [(20, 6.5), (21, 15.0), (23, 4.0)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Numbers of groups by id and of keys in any order
//!
//! Sums of floats, and all means and variances, come from [exact sums](crate::reduce::exact), with their rules for NaN, infinities and −0. They do not depend
//! on the order of the pairs or on the GPU. Variances are (n Σx² − (Σx)²) / n², sample variances have n (n − 1) below.
//!
//! # Numbers of groups by key
//!
//! Those of the operator. Exact sums, which [`Monoid::exact`](crate::reduce::Monoid::exact) makes of sums of `f32` and `f16`, are rounded once, and do
//! not depend on the order of the pairs of a run or on the GPU.
//!
//! # Cost
//!
//! By id:
//!
//! | groups | dispatches | memory traffic |
//! |---|---|---|
//! | a table of them finds room in workgroup memory: of a sum and a count 1000 in 16 KiB, 3000 in 48 KiB | 2 | the pairs are read once |
//! | two or three such tables | 2 | they are read by each, mostly from the cache |
//! | up to 1024 tables of half the size | 5 | the ids are read twice and the values once; ordered pairs are written and read once |
//! | more | 2 | they are read once, with several atomic additions to storage for each |
//!
//! Variances take one dispatch more, and room in a table for six words a group, four of integers: 400 groups of a variance alone in 16 KiB.
//!
//! Ordered pairs take 8 bytes each of scratch memory, at most 256 MiB: longer inputs are ordered part by part.
//!
//! By key in any order the same, and before that four dispatches, in which the keys are read once more; and one for each time that 1024 has to be doubled to
//! reach the number of groups. The kernels of groups by id look ids up in a table of the keys, which takes 72 to 136 bytes a group. Of up to 1024 keys a
//! sum and a count have room for a copy of it in 48 KiB of workgroup memory; of more keys each lookup moves a sector of the cache.
//!
//! The state of a group takes 108 bytes of scratch memory, with variances 184, without sums 20. An input that no binding can hold takes more dispatches.
//!
//! Floats more than 2^24 times smaller than most others, or more than four times larger, are added to storage one by one. That is slow only if they are many.
//!
//! A device that miscounts in workgroup memory adds every pair to storage: see [`probe`](crate::probe).
//!
//! Lengths of runs are one dispatch, which reads the keys once and writes a key and a word for each run: a [selection](crate::select) with a second output.
//!
//! By key, with keys and values of 32 bits: five dispatches. If runs are long, keys and values are read once. Of tiles with more than a run for each eight pairs,
//! the keys are read once more, and the values only then. The memory of a [`Bound`](crate::Bound) is about an eighth of the input's.

mod aggregate;
mod by_id;
mod by_key;
mod io;
mod kernels;
mod lengths;
mod plan;
pub mod reference;
mod runs;
mod spec;

pub use by_key::GroupByKey;
pub use io::{Group, Outputs, Pairs, Run, RunOutputs};
pub use lengths::RunLengths;
pub use runs::ReduceRuns;
pub use spec::GroupById;
