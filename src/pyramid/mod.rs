//! Pyramids: the minimum, the maximum or both of a texture, at half its size, a quarter, and so on to one texel.
//!
//! Culling asks such a pyramid of depth ("Hi-Z") for the nearest and the farthest surface in a rectangle. Of luminance it gives local
//! contrast.
//!
//! ```
//! use halofold::pyramid::Pyramid;
//! use halofold::reduce::Op;
//! use halofold::{Map, Texels, wgpu};
//!
//! # let Some((device, queue, _)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
//! # let texture = |[width, height]: [u32; 2], levels, format, usage| device.create_texture(&wgpu::TextureDescriptor {
//! #     label: None, size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 }, mip_level_count: levels, sample_count: 1,
//! #     dimension: wgpu::TextureDimension::D2, format, view_formats: &[], usage: wgpu::TextureUsages::TEXTURE_BINDING | usage,
//! # });
//! # let rendered = wgpu::TextureUsages::RENDER_ATTACHMENT;
//! # if device.limits().max_storage_textures_per_shader_stage == 0 { return Ok(()) }
//! let depth = texture([1920, 1080], 1, wgpu::TextureFormat::Depth32Float, rendered);
//! let hi_z = texture([960, 540], 10, wgpu::TextureFormat::R32Float, wgpu::TextureUsages::STORAGE_BINDING);
//! let farthest = Pyramid::new(&device, Op::Max, Map::components(wgpu::TextureSampleType::Depth, "r")?)?;
//! let prepared = farthest.prepare(&depth, &hi_z)?; // bound once,
//!
//! # let mut encoder = device.create_command_encoder(&Default::default());
//! prepared.encode(&mut encoder); // recorded every frame
//! # queue.submit([encoder.finish()]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Levels
//!
//! A level has half the columns and half the rows of the one before, rounded down, and one at least: the sizes of mip levels. A texel
//! covers four texels of the level before; with an odd number of columns, the last column covers three, and so do rows. Every level
//! therefore covers every texel of the source: no surface is missed.
//!
//! The first level that is written has half the size of the source. It is level 0 of a texture of that size; or, of the texture that
//! is the source itself, level 1: `pyramid.prepare(&texture, Texels::new(&texture).level(1))`. All levels from there on are written, as
//! many as the texture has. Level k of a target that begins at level 0 is so level k + 1 of the source. Of a texel at (x, y) of the source, the one over
//! it in level k is at `min((x, y) >> (k + 1), size of level k - 1)`.
//!
//! # Values
//!
//! A [`Map`](crate::Map) makes a number, an `f32`, of a texel of the source, which has any format; of several numbers, all count, as where
//! the source has a minimum and a maximum in each texel. The target has the format `R32Float` for
//! [`Op::Min`](crate::reduce::Op::Min) or [`Op::Max`](crate::reduce::Op::Max), and `Rg32Float` for [`Op::MinMax`](crate::reduce::Op::MinMax), the minimum
//! first. NaN and signed zeros follow the rule of [`Op`](crate::reduce::Op): a texel that covers a NaN is NaN, and -0 is less than +0.
//! The values have the same bits on every GPU, as far as those of the map have.
//!
//! # Cost
//!
//! A dispatch makes six levels, or as many as a shader may write textures (`max_storage_textures_per_shader_stage`): 4096 × 4096
//! texels take two dispatches, and three with WebGPU's default limit of four. The source is read once. A
//! [`Prepared`](crate::Prepared) owns 32 bytes on the GPU for each dispatch, its bind groups and a view of each level; its
//! [plan](crate::Prepared::plan) lists the levels that each dispatch makes. Recording allocates nothing. A device needs workgroups of 256 invocations, with 10 KiB
//! of memory. On OpenGL, whose textures cannot be read and written at once, a pyramid is that of one dispatch, and of a texture of its own.

mod error;
mod kernels;
mod record;

pub use error::PyramidError;
pub use kernels::kernel;
pub use record::Pyramid;
