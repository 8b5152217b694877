//! Histograms: count how many keys fall into each of 1 to 65 536 bins.
//!
//! ```
//! use halofold::{Compiled, Options};
//! use halofold::histogram::{Histogram, Keys};
//!
//! # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
//! # let samples: Vec<f32> = (0..1000).map(|i| i as f32 / 999.0).collect();
//! # let samples = buffer(bytemuck::cast_slice(&samples));
//! # let on_gpu = buffer(&[0; 400]);
//! // The distribution of floats over 100 equal ranges from 0 to 1.
//! let spread = Compiled::new(&device, Histogram::new(Keys::Ranges { low: 0.0, high: 1.0 }, 100), &Options::default())?;
//! let counts: Vec<u32> = spread.of(&samples).run(&queue)?; // tools: records, submits, waits
//!
//! # let mut encoder = device.create_command_encoder(&Default::default());
//! let prepared = spread.of(&samples).bind(&on_gpu)?; // an application: bound once,
//! prepared.encode(&mut encoder); // recorded every frame, allocation-free
//! # assert_eq!(counts, [10; 100]);
//! # let readback = halofold::read::Readback::new(&device, 400);
//! # readback.encode(&mut encoder, &on_gpu, 0, 400)?;
//! # queue.submit([encoder.finish()]);
//! # assert_eq!(readback.wait(400)?, bytemuck::cast_slice::<u32, u8>(&[10; 100]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Cost
//!
//! A histogram takes one dispatch per window of the input: one, unless the input is larger than a binding; none without keys. Unless [`Histogram::add`] is
//! set, a small dispatch clears the counts first. There is no scratch memory. A compiled histogram owns 136 bytes on the GPU, with borders another 128
//! bytes and eight per bin. A [`Bound`](crate::Bound) owns 256 bytes per dispatch, and its bind groups. Recording allocates nothing.
//!
//! Consecutive keys are loaded four at a time. With a stride, channels or a map, elements are loaded one by one. A stride reads less
//! memory only if it skips whole cache sectors. Keys between levels take a binary search, unless the levels are `u32` and equidistant.
//!
//! If the bins fit workgroup memory (4096 bins in 16 KiB, 12 288 in 48 KiB), each key is read once; if not, see [`Method`].
//! A device that miscounts in workgroup memory counts in storage: see [`probe`](crate::probe).
//!
//! # What a device needs
//!
//! No features. Workgroups of at least 64 invocations, and three storage buffers per shader, four for keys between borders. Input and
//! output are two buffers with [`wgpu::BufferUsages::STORAGE`]. Elements start at a multiple of their size, counts (a `u32` each) at a
//! multiple of `min_storage_buffer_offset_alignment`.
//!
//! # Counts
//!
//! Counts are [the same](crate#determinism) on every device. They wrap beyond 2^32 − 1, which only counts that are added to earlier ones can reach: one
//! histogram has at most 2^32 − 1 keys.

mod config;
mod keys;
mod plan;
mod record;
pub mod reference;
mod tuning;

pub use crate::{Error, Map, Options};
pub use config::Histogram;
pub use keys::Keys;
pub use plan::{CLEAR, COUNT};
pub use tuning::{Method, Tuning};
