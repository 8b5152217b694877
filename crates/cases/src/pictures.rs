//! Textures as inputs: sums of a channel over all texels, rows and columns, and a histogram of four channels.

use halofold::histogram::{Histogram, Keys};
use halofold::reduce::{Op, Reducer, Shape};
use halofold::wgpu::{self, TextureSampleType, TextureUsages};
use halofold::{Element, Map};

use super::{Case, End, Scene, text};

const WIDTH: u32 = 97;
const HEIGHT: u32 = 31;

pub fn cases() -> Vec<Case> {
    let (width, height) = (u64::from(WIDTH), u64::from(HEIGHT));
    let shapes = [Shape::Whole, Shape::Segments { len: width }, Shape::axis(1, height, width)];
    let sums = shapes.map(|shape| {
        Case::new("Reducer", format!("texels, {shape:?}"), async move |scene: &Scene| {
            sums(scene, shape).await
        })
    });
    let histogram = Case::new("Histogram", "texels, histogram", counts);
    sums.into_iter().chain([histogram]).collect()
}

/// Four bytes of each texel.
fn words() -> Vec<u32> {
    (0..WIDTH * HEIGHT).map(|i| i.wrapping_mul(2_654_435_761)).collect()
}

fn picture(scene: &Scene) -> wgpu::Texture {
    let size = wgpu::Extent3d { width: WIDTH, height: HEIGHT, depth_or_array_layers: 1 };
    let texture = scene.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("application"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Uint,
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * WIDTH), rows_per_image: None };
    scene.queue.write_texture(texture.as_image_copy(), bytemuck::cast_slice(&words()), layout, size);
    texture
}

async fn sums(scene: &Scene, shape: Shape) -> Result<End, String> {
    let picture = picture(scene);
    let green = Map::components(TextureSampleType::Uint, "g").map_err(text)?;
    let sum = Op::Sum.over(Element::U32).and_then(|sum| sum.of_texels(green)).map_err(text)?;
    let reducer = Reducer::new(&scene.device, sum).map_err(text)?;
    let green: Vec<u32> = words().iter().map(|word| word >> 8 & 255).collect();
    let expected = match shape {
        Shape::Segments { len } => green.chunks(len as usize).map(|row| row.iter().sum()).collect(),
        Shape::Axis { inner, .. } => {
            (0..inner as usize).map(|x| green[x..].iter().step_by(inner as usize).sum()).collect()
        }
        _ => vec![green.iter().sum()],
    };
    scene.gives(&[expected], |outputs| reducer.of_texels(&picture).shape(shape).into(&outputs[0])).await
}

async fn counts(scene: &Scene) -> Result<End, String> {
    let (picture, limits) = (picture(scene), scene.device.limits());
    let channels = Map::components(TextureSampleType::Uint, "rgba").map_err(text)?;
    let config = Histogram::new(Keys::Numbers, 256, &limits).with_map(channels, &limits);
    let histogram = config.on(&scene.device).map_err(text)?;
    let mut expected = vec![0u32; 4 * 256];
    for word in words() {
        (0..4).for_each(|channel| expected[256 * channel + (word >> (8 * channel) & 255) as usize] += 1);
    }
    scene.gives(&[expected], |outputs| histogram.of_texels(&picture).into(&outputs[0])).await
}
