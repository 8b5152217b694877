//! Pyramids: the minimum, the maximum or both of a texture at half its size, a quarter, down to one texel.
//!
//! A pyramid of depth ("Hi-Z") gives culling the nearest and the farthest surface in a rectangle; a pyramid of luminance gives local contrast.
//!
//! ```
//! use halofold::pyramid::Pyramid;
//! use halofold::reduce::Op;
//! use halofold::{Compiled, Map, Options, Texels, wgpu};
//!
//! # let Some((device, queue, _)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
//! # let texture = |[width, height]: [u32; 2], levels, format, usage| device.create_texture(&wgpu::TextureDescriptor {
//! #     label: None, size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 }, mip_level_count: levels, sample_count: 1,
//! #     dimension: wgpu::TextureDimension::D2, format, view_formats: &[], usage: wgpu::TextureUsages::TEXTURE_BINDING | usage,
//! # });
//! # let rendered = wgpu::TextureUsages::RENDER_ATTACHMENT;
//! # if device.adapter_info().backend == wgpu::Backend::Gl { return Ok(()) }
//! let depth = texture([1920, 1080], 1, wgpu::TextureFormat::Depth32Float, rendered);
//! let hi_z = texture([960, 540], 10, wgpu::TextureFormat::R32Float, wgpu::TextureUsages::STORAGE_BINDING);
//! let farthest = Pyramid::new(Op::Max, Map::components(wgpu::TextureSampleType::Depth, "r")?);
//! let farthest = Compiled::new(&device, farthest, &Options::default())?;
//! let prepared = farthest.bind(&depth, &hi_z)?; // bound once,
//!
//! # let mut encoder = device.create_command_encoder(&Default::default());
//! prepared.encode(&mut encoder); // recorded every frame
//! # queue.submit([encoder.finish()]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Levels
//!
//! A level has half the columns and rows of the level below, rounded down, but at least one: the sizes of mip levels. A texel covers 2 × 2
//! texels of the level below. With an odd number of columns, the last texel covers three; rows likewise. So every level covers
//! every texel of the source, and no surface is missed.
//!
//! The first level written has half the size of the source. It is level 0 of a texture of that size, or level 1 of the source's own
//! texture: `bind(&texture, Texels::new(&texture).level(1))`. All further levels of the texture are written. The n-th level, counted
//! from 1, covers the source's texel (x, y) in its texel `min((x, y) >> n, size - 1)`.
//!
//! # Values
//!
//! A [`Map`](crate::Map) computes one or several `f32` from a texel of the source, which has any format; all of them count. The target
//! has the format `R32Float` for [`Op::Min`](crate::reduce::Op::Min) and [`Op::Max`](crate::reduce::Op::Max), and `Rg32Float`, minimum
//! first, for [`Op::MinMax`](crate::reduce::Op::MinMax). As in reductions, a texel that covers a NaN is NaN, and -0 is less than +0. If the
//! map's values have the same bits on every GPU, so has the pyramid.
//!
//! # Cost
//!
//! A dispatch makes at most six levels, and at most `max_storage_textures_per_shader_stage`. So 4096 × 4096 texels
//! take two dispatches, and three with WebGPU's default limit of four: see [`Bound::dispatches`](crate::Bound::dispatches). The source is
//! read once. A [`Bound`](crate::Bound) owns 32 bytes on the GPU per dispatch, its bind groups, and a view of each level. Recording allocates
//! nothing. A device needs workgroups of 256 invocations with 10 KiB of memory. OpenGL cannot read a texture and write it in one
//! dispatch, so its pyramids take one dispatch only. It has no [`Op::MinMax`](crate::reduce::Op::MinMax), because its shaders cannot store
//! `Rg32Float`.

mod kernels;
mod record;

pub use crate::Error;
pub use kernels::kernel;
pub use record::Pyramid;
