//! Textures that kernels write, and their levels as words.

use halofold::wgpu;
use wgpu::{Texture, TextureDimension, TextureFormat, TextureUsages};

use super::super::textures::{self, write};
use crate::common::{self, Gpu, POISON};

/// A texture of all levels, for sources and targets.
pub fn texture(gpu: &Gpu, size: [u32; 2], layers: u32, format: TextureFormat) -> Texture {
    let copied = TextureUsages::COPY_SRC | TextureUsages::COPY_DST;
    let bound = TextureUsages::TEXTURE_BINDING | TextureUsages::STORAGE_BINDING;
    with_usage(gpu, size, layers, format, copied | bound)
}

pub fn with_usage(
    gpu: &Gpu,
    size: [u32; 2],
    layers: u32,
    format: TextureFormat,
    usage: TextureUsages,
) -> Texture {
    let levels = size[0].max(size[1]).ilog2() + 1;
    textures::with_usage(gpu, format, size, [levels, layers], usage)
}

/// A texture with poison in all levels.
pub fn poisoned(gpu: &Gpu, size: [u32; 2], format: TextureFormat) -> Texture {
    let texture = texture(gpu, size, 1, format);
    for level in 0..texture.mip_level_count() {
        let words = words(&texture, level).into_iter().product::<u32>() as usize;
        write(gpu, &texture, level, 0, bytemuck::cast_slice(&vec![POISON; words]));
    }
    texture
}

/// The words of a row of a level, and its rows.
fn words(texture: &Texture, level: u32) -> [u32; 2] {
    let size = texture.size().mip_level_size(level, TextureDimension::D2);
    [size.width * texture.format().block_copy_size(None).unwrap() / 4, size.height]
}

/// Reads a level.
pub fn read(gpu: &Gpu, texture: &Texture, level: u32) -> Vec<u32> {
    let [row, rows] = words(texture, level);
    let apart = (4 * row).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = common::room(gpu, u64::from(apart * rows));
    let from = wgpu::TexelCopyTextureInfo { mip_level: level, ..texture.as_image_copy() };
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(apart), rows_per_image: None };
    let size = texture.size().mip_level_size(level, TextureDimension::D2);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(from, to, wgpu::Extent3d { depth_or_array_layers: 1, ..size });
    gpu.queue.submit([encoder.finish()]);
    let bytes = common::read(gpu, &buffer);
    let rows = bytes.chunks_exact(apart as usize).take(rows as usize);
    rows.flat_map(|bytes| bytemuck::pod_collect_to_vec::<_, u32>(&bytes[..4 * row as usize])).collect()
}
