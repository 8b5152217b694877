//! Histograms: how many keys fall into each of 1 to 65 536 bins.
//!
//! ```
//! use halofold::histogram::{Histogram, Keys};
//!
//! # fn run() -> Result<(), Box<dyn std::error::Error>> {
//! # let opened = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs"));
//! # let Some((device, queue)) = opened else { return Ok(()) };
//! # use halofold::wgpu::{self, util::DeviceExt as _};
//! # let samples: Vec<f32> = (0..1000).map(|i| i as f32 / 999.0).collect();
//! # let samples = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
//! #     label: None, contents: bytemuck::cast_slice(&samples), usage: wgpu::BufferUsages::STORAGE });
//! # let on_gpu = device.create_buffer(&wgpu::BufferDescriptor { label: None, size: 400,
//! #     usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC, mapped_at_creation: false });
//! // How floats spread over 100 equal ranges from 0 to 1.
//! let spread = Histogram::new(&device, Keys::Ranges { low: 0.0, high: 1.0 }, 100)?;
//! let counts: Vec<u32> = spread.of(&samples).wait(&queue)?; // tools: records, submits, waits
//!
//! # let mut encoder = device.create_command_encoder(&Default::default());
//! let prepared = spread.of(&samples).into(&on_gpu)?; // an application: bound once,
//! prepared.encode(&mut encoder); // recorded every frame, allocation-free
//! # assert_eq!(counts, [10; 100]);
//! # let readback = halofold::read::Readback::new(&device, 400);
//! # readback.encode(&mut encoder, &on_gpu, 0, 400)?;
//! # queue.submit([encoder.finish()]);
//! # assert_eq!(readback.wait(400)?, bytemuck::cast_slice::<u32, u8>(&[10; 100]));
//! # Ok(())
//! # }
//! # run().unwrap();
//! ```
//!
//! [`Keys`] and a number of bins make a [`Job`] (a plain value, with its [`Tuning`]) and a device a [`Histogram`] (kernels, each compiled
//! when it is first needed) → [`Histogram::of`] says where the keys are → [`Counting::into`] binds (once) → [`Prepared`] records (any number
//! of times). [`Job::plan`] has the dispatches without a device.
//!
//! # Cost
//!
//! One dispatch for each window of the input (one, unless it is larger than a binding; none without keys), and a small one
//! before them that clears the counts, unless [`Job::add`] is set. No scratch memory. A histogram owns 128 bytes on the GPU and
//! eight besides, for [`Keys::Ranges`] eight a bin; a prepared one owns 256 bytes for each dispatch and its bind groups. Recording
//! allocates nothing.
//!
//! Keys are read once while the bins fit workgroup memory (4096 bins in 16 KiB, 12 288 in 48 KiB), once for each slice beyond
//! that, and once again with more than eight slices, then counted in storage: [`Method`] says when and why.
//!
//! # What a device needs
//!
//! No features; workgroups of 64 invocations or more; three storage buffers in a shader, four for [`Keys::Ranges`]. Both buffers need
//! [`wgpu::BufferUsages::STORAGE`] and may not be one. Keys start at a multiple of 4 bytes, counts (a `u32` each) at one of
//! `min_storage_buffer_offset_alignment`.
//!
//! # Determinism
//!
//! Counts are exact, and the same on every device, tuning and run: integers are added, and the bin of a float is decided by
//! comparing integers. Counts wrap beyond 2^32 − 1, which one histogram's keys alone cannot reach, as they are at most as many;
//! counts that are added to may.

mod compose;
mod counting;
mod error;
mod job;
mod keys;
mod plan;
mod record;
pub mod reference;
mod tuning;

pub use crate::pipeline::Options;
pub use counting::Counting;
pub use error::HistogramError;
pub use job::Job;
pub use keys::Keys;
pub use plan::{Params, Pass, Plan, Step};
pub use record::{Histogram, Prepared};
pub use tuning::{Method, Tuning};
