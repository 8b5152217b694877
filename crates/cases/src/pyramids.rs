//! Pyramids.

use halofold::pyramid::Pyramid;
use halofold::reduce::Op;
use halofold::wgpu::{self, Extent3d, TextureFormat, TextureUsages};
use halofold::{Map, Texels};

use super::{Case, End, Scene, text};

pub fn cases() -> Vec<Case> {
    vec![Case::new("Pyramid", "pyramid of maxima", maxima)]
}

/// Reads the last level, whose texel covers all.
async fn maxima(scene: &Scene) -> Result<End, String> {
    let (size, levels) = (Extent3d { width: 100, height: 70, depth_or_array_layers: 1 }, 7);
    let texture = scene.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("application"),
        size,
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: TextureFormat::R32Float,
        usage: TextureUsages::TEXTURE_BINDING
            | TextureUsages::STORAGE_BINDING
            | TextureUsages::COPY_SRC
            | TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let floats: Vec<f32> = (0..7000u32).map(|i| (i * 37 % 7001) as f32).collect();
    let rows = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(400), rows_per_image: None };
    scene.queue.write_texture(texture.as_image_copy(), bytemuck::cast_slice(&floats), rows, size);
    scene.stage();
    let red = Map::components(wgpu::TextureSampleType::Float { filterable: false }, "r").map_err(text)?;
    let pyramid = Pyramid::new(&scene.device, Op::Max, red).map_err(text)?;
    let output = scene.room(4)?;
    scene.stage();
    let prepared = pyramid.prepare(&texture, Texels::new(&texture).level(1)).map_err(text)?;
    let record = |encoder: &mut wgpu::CommandEncoder| {
        prepared.encode(encoder);
        let from = wgpu::TexelCopyTextureInfo { mip_level: levels - 1, ..texture.as_image_copy() };
        let to = wgpu::TexelCopyBufferInfo { buffer: &output, layout: Default::default() };
        encoder.copy_texture_to_buffer(from, to, Extent3d { width: 1, height: 1, depth_or_array_layers: 1 });
    };
    let greatest = floats.iter().copied().fold(0.0, f32::max);
    scene.compare(record, &output, &greatest.to_le_bytes()).await
}
