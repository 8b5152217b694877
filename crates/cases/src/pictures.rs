//! Textures as inputs: sums of a channel over all texels, rows and columns, a histogram of four channels, and a pyramid.

use halofold::histogram::{Histogram, Keys};
use halofold::pyramid::Pyramid;
use halofold::reduce::{Op, Reduce, Shape};
use halofold::wgpu::{self, Extent3d, TextureFormat, TextureSampleType, TextureUsages};
use halofold::{Element, Map, Texels};

use super::timed::described;
use super::{Case, End, Scene, text};

const WIDTH: u32 = 97;
const HEIGHT: u32 = 31;

pub fn cases() -> Vec<Case> {
    let (width, height) = (u64::from(WIDTH), u64::from(HEIGHT));
    let shapes = [Shape::Whole, Shape::Segments { len: width }, Shape::axis(1, height, width)];
    let sums = shapes.map(|shape| {
        Case::new("Reduce", format!("texels, {shape:?}"), async move |scene: &Scene| sums(scene, shape).await)
    });
    let histogram = Case::new("Histogram", "texels, histogram", counts);
    let pyramid = Case::new("Pyramid", "pyramid of maxima", maxima);
    sums.into_iter().chain([histogram, pyramid]).collect()
}

/// Four bytes of each texel.
fn words() -> Vec<u32> {
    (0..WIDTH * HEIGHT).map(|i| i.wrapping_mul(2_654_435_761)).collect()
}

/// A texture of texels of four bytes, in its first level.
fn texture(
    scene: &Scene,
    sides: [u32; 2],
    levels: u32,
    format: TextureFormat,
    texels: &[u32],
) -> wgpu::Texture {
    let storage = TextureUsages::STORAGE_BINDING | TextureUsages::COPY_SRC;
    let usage = TextureUsages::COPY_DST | if levels > 1 { storage } else { TextureUsages::empty() };
    let descriptor = described(format, sides, levels, usage);
    let texture = scene.device.create_texture(&descriptor);
    let bytes_per_row = Some(4 * sides[0]);
    let rows = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row, rows_per_image: None };
    scene.queue.write_texture(texture.as_image_copy(), bytemuck::cast_slice(texels), rows, descriptor.size);
    texture
}

fn picture(scene: &Scene) -> wgpu::Texture {
    texture(scene, [WIDTH, HEIGHT], 1, TextureFormat::Rgba8Uint, &words())
}

async fn sums(scene: &Scene, shape: Shape) -> Result<End, String> {
    let picture = picture(scene);
    let green = Map::components(TextureSampleType::Uint, "g").map_err(text)?;
    let sum = Op::Sum.over(Element::U32).and_then(|sum| sum.of_texels(green));
    let reducer = scene.compile(sum.map(Reduce::new))?;
    let green: Vec<u32> = words().iter().map(|word| word >> 8 & 255).collect();
    let expected = match shape {
        Shape::Segments { len } => green.chunks(len as usize).map(|row| row.iter().sum()).collect(),
        Shape::Axis { inner, .. } => {
            (0..inner as usize).map(|x| green[x..].iter().step_by(inner as usize).sum()).collect()
        }
        _ => vec![green.iter().sum()],
    };
    scene.gives(&[expected], |outputs| reducer.of_texels(&picture).shape(shape).bind(&outputs[0])).await
}

async fn counts(scene: &Scene) -> Result<End, String> {
    let picture = picture(scene);
    let channels = Map::components(TextureSampleType::Uint, "rgba").map_err(text)?;
    let histogram = scene.compile(Ok(Histogram::new(Keys::Numbers, 256).with_map(channels)))?;
    let mut expected = vec![0u32; 4 * 256];
    for word in words() {
        (0..4).for_each(|channel| expected[256 * channel + (word >> (8 * channel) & 255) as usize] += 1);
    }
    scene.gives(&[expected], |outputs| histogram.of_texels(&picture).bind(&outputs[0])).await
}

/// Reads the last level, whose texel covers all.
async fn maxima(scene: &Scene) -> Result<End, String> {
    const LEVELS: u32 = 7;
    let floats: Vec<f32> = (0..7000u32).map(|i| (i * 37 % 7001) as f32).collect();
    let texels = bytemuck::cast_slice(&floats);
    let texture = texture(scene, [100, 70], LEVELS, TextureFormat::R32Float, texels);
    scene.stage();
    let red = Map::components(TextureSampleType::Float { filterable: false }, "r").map_err(text)?;
    let pyramid = scene.compile(Ok(Pyramid::new(Op::Max, red)))?;
    let output = scene.room(4)?;
    scene.stage();
    let prepared = pyramid.bind(&texture, Texels::new(&texture).level(1)).map_err(text)?;
    let record = |encoder: &mut wgpu::CommandEncoder| {
        prepared.encode(encoder);
        let from = wgpu::TexelCopyTextureInfo { mip_level: LEVELS - 1, ..texture.as_image_copy() };
        let to = wgpu::TexelCopyBufferInfo { buffer: &output, layout: Default::default() };
        encoder.copy_texture_to_buffer(from, to, Extent3d { width: 1, height: 1, depth_or_array_layers: 1 });
    };
    let greatest = floats.iter().copied().fold(0.0, f32::max);
    scene.compare(record, &output, &greatest.to_le_bytes()).await
}
