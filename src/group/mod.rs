//! Results by group: per id, per key, or per run of equal neighbouring keys.
//!
//! [`GroupById`] takes values and an id for each value: a `u32` below a declared number of groups, in any order. It computes
//! several results per group in one sweep over the pairs:
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
//! [`GroupByKey`] does the same for keys in any order. Declare the most distinct keys. It finds the distinct keys first:
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
//! [`ReduceRuns`] reduces the values of each run of equal neighbouring keys. [`RunLengths`] takes keys alone:
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
//! They follow the operator. [`Monoid::exact`](crate::reduce::Monoid::exact) makes exact sums of `f32` and `f16`, which are rounded once and do
//! not depend on the order of a run's pairs or on the GPU.
//!
//! # Cost
//!
//! By id:
//!
//! | groups | dispatches | memory traffic |
//! |---|---|---|
//! | one table of them fits workgroup memory: 1000 with a sum and a count in 16 KiB, 3000 in 48 KiB | 2 | pairs are read once |
//! | two or three such tables | 2 | each table reads the pairs, mostly from the cache |
//! | up to 1024 tables of half the size | 5 | ids are read twice, values once; ordered pairs are written and read once |
//! | more | 2 | pairs are read once, with several atomic additions to storage per pair |
//!
//! A variance takes one more dispatch, and six words per group in a table, four for integers: 400 groups of a variance alone in 16 KiB.
//!
//! Ordered pairs take 8 bytes each of scratch memory, at most 256 MiB. Longer inputs are ordered in parts.
//!
//! By key in any order: four more dispatches, and one for each doubling of 1024 to the number of groups. One of the four reads the keys. A table of keys
//! takes 72 to 136 bytes per group. With a sum and a count, 48 KiB of workgroup memory have room for a copy of the table for up to 1024 keys. Pairs of up
//! to 2^20 keys are ordered by parts, as pairs of many ids are.
//!
//! A group's state takes 108 bytes of scratch memory, 184 with variances, 20 without sums, and 4 more by key. An input larger than a binding takes more
//! dispatches.
//!
//! Floats more than 2^24 times smaller or four times larger than most others are added to storage one by one, which is slow only if there are many.
//!
//! A device that miscounts in workgroup memory adds every pair to storage: see [`probe`](crate::probe).
//!
//! Lengths of runs take one dispatch that reads keys once and writes a key and a word per run: a [selection](crate::select) with a second output.
//!
//! By key, with 32-bit keys and values: up to 2^20 pairs two dispatches, and a [`Bound`](crate::Bound) takes as much memory as the input. Beyond three,
//! and about a sixtieth. Keys and values are read once, and the first key of each run again, from the cache.

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
