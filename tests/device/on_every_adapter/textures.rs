//! Textures as inputs, against texels that the test has made: every kind of sample, levels, layers, rectangles, shapes, and wrong use.

use crate::common::{Gpu, Random, gpu, limited};
use half::f16;
use halofold::histogram::{Histogram, Keys};
use halofold::reduce::{Accuracy, Arity, Launches, Monoid, Op, Options, ReduceError, Reducer};
use halofold::wgpu::{
    self, Backend, Extent3d, Texture, TextureDimension, TextureFormat, TextureSampleType, TextureUsages,
};
use halofold::{Element, Map, Texels, TextureError};

pub const FLOAT: TextureSampleType = TextureSampleType::Float { filterable: false };

/// Widths and heights around those of strips.
const SIZES: [[u32; 2]; 9] =
    [[1, 1], [1, 7], [5, 1], [4, 4], [3, 9], [64, 8], [97, 31], [130, 67], [257, 251]];

fn texture(gpu: &Gpu, format: TextureFormat, size: [u32; 2], levels: u32, layers: u32) -> Texture {
    with_usage(gpu, format, size, [levels, layers], TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST)
}

/// A texture of so many levels and layers.
pub fn with_usage(
    gpu: &Gpu,
    format: TextureFormat,
    [width, height]: [u32; 2],
    [levels, layers]: [u32; 2],
    usage: TextureUsages,
) -> Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("test"),
        size: Extent3d { width, height, depth_or_array_layers: layers },
        mip_level_count: levels,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

/// Writes texels, row by row, to a level of a layer.
pub fn write(gpu: &Gpu, texture: &Texture, level: u32, layer: u32, bytes: &[u8]) {
    let texel = texture.format().block_copy_size(None).unwrap();
    let [width, height] = [texture.width(), texture.height()].map(|side| (side >> level).max(1));
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(width * texel), rows_per_image: None };
    let to = wgpu::TexelCopyTextureInfo {
        mip_level: level,
        origin: wgpu::Origin3d { x: 0, y: 0, z: layer },
        ..texture.as_image_copy()
    };
    gpu.queue.write_texture(to, bytes, layout, Extent3d { width, height, depth_or_array_layers: 1 });
}

/// Clears level 0 of a texture of depths, and of stencils, if it has some.
pub fn clear_depth(gpu: &Gpu, texture: &Texture, depth: f32, stencil: Option<u32>) {
    fn cleared<T>(value: T) -> wgpu::Operations<T> {
        wgpu::Operations { load: wgpu::LoadOp::Clear(value), store: wgpu::StoreOp::Store }
    }
    let first = wgpu::TextureViewDescriptor { mip_level_count: Some(1), ..Default::default() };
    let attachment = wgpu::RenderPassDepthStencilAttachment {
        view: &texture.create_view(&first),
        depth_ops: Some(cleared(depth)),
        stencil_ops: stencil.map(cleared),
    };
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        depth_stencil_attachment: Some(attachment),
        ..Default::default()
    });
    gpu.queue.submit([encoder.finish()]);
}

/// A texture of random words, and the words.
fn words(gpu: &Gpu, format: TextureFormat, size: [u32; 2]) -> (Texture, Vec<u32>) {
    let mut random = Random::new(u64::from(size[0]) << 32 | u64::from(size[1]));
    let words: Vec<u32> = (0..size[0] * size[1]).map(|_| (random.next() >> 32) as u32).collect();
    let texture = texture(gpu, format, size, 1, 1);
    write(gpu, &texture, 0, 0, bytemuck::cast_slice(&words));
    (texture, words)
}

fn reducer(gpu: &Gpu, op: Op, element: Element, map: Map) -> Reducer {
    Reducer::new(&gpu.device, op.over(element).unwrap().of_texels(map).unwrap()).unwrap()
}

/// A sum of the first component, which wraps.
fn red_sum(gpu: &Gpu) -> Reducer {
    reducer(gpu, Op::Sum, Element::U32, component(TextureSampleType::Uint, "r"))
}

fn sum<'w>(words: impl IntoIterator<Item = &'w u32>) -> u32 {
    words.into_iter().fold(0, |sum, word| sum.wrapping_add(*word))
}

/// The greatest word, and the place of the first such, row by row.
fn greatest(words: &[u32]) -> (u32, u32) {
    let greatest = *words.iter().max().unwrap();
    (greatest, words.iter().position(|word| *word == greatest).unwrap() as u32)
}

/// An exact sum of the upper 24 bits of words: as floats, too, it is one number, if it is rounded once.
fn upper_sum(gpu: &Gpu) -> Reducer {
    let upper = "fn map_texel(texel: vec4<u32>, at: vec2<u32>) -> f32 { return f32(texel.r >> 8u); }";
    let map = Map::texels(TextureSampleType::Uint, upper).unwrap();
    let sum = Op::Sum.over(Element::F32).unwrap().of_texels(map).unwrap();
    let options = Options::default().with_accuracy(Accuracy::Exact);
    Reducer::with_options(&gpu.device, sum, options).unwrap()
}

fn upper(words: &[u32]) -> f32 {
    words.iter().map(|word| u64::from(word >> 8)).sum::<u64>() as f32
}

/// Counts of the bytes of texels, of each channel.
fn byte_counts<'w>(words: impl Iterator<Item = &'w u32>) -> Vec<u32> {
    let mut counts = vec![0; 4 * 256];
    for word in words {
        (0..4).for_each(|channel| counts[256 * channel + (word >> (8 * channel) & 255) as usize] += 1);
    }
    counts
}

pub fn component(sample: TextureSampleType, letters: &str) -> Map {
    Map::components(sample, letters).unwrap()
}

#[test]
fn every_texel_counts_once() {
    let gpu @ Gpu { device, queue } = gpu();
    let total = red_sum(gpu);
    let xor = reducer(gpu, Op::Xor, Element::I32, component(TextureSampleType::Sint, "r"));
    let place = reducer(gpu, Op::ArgMax, Element::U32, component(TextureSampleType::Uint, "r"));
    let max = Op::Max.over(Element::U32).unwrap().of_texels(component(TextureSampleType::Uint, "r")).unwrap();
    let max = Reducer::with_options(device, max, Options::default().with_launches(Launches::Two)).unwrap();
    for size in SIZES {
        gpu.clean(|| {
            let (unsigned, words) = words(gpu, TextureFormat::R32Uint, size);
            let all = total.of_texels(&unsigned);
            assert_eq!(all.clone().wait::<u32>(queue), Ok(sum(&words)), "{size:?}");
            assert_eq!(place.of_texels(&unsigned).wait(queue), Ok(greatest(&words)), "{size:?}");
            let found = max.of_texels(&unsigned).wait::<u32>(queue);
            assert_eq!(found, Ok(greatest(&words).0), "{size:?}, in two launches");
            assert_eq!(all.clone().accumulate().wait(queue), Ok(sum(&words)), "{size:?}, onto 0");
            // Only the first texels, row by row.
            let half = words.len() / 2;
            let found = all.len(half as u64).wait::<u32>(queue);
            assert_eq!(found, Ok(sum(&words[..half])), "the first {half} of {size:?}");
        });
        gpu.clean(|| {
            let (signed, words) = words(gpu, TextureFormat::R32Sint, size);
            let expected = words.iter().fold(0, |xor, word| xor ^ *word as i32);
            assert_eq!(xor.of_texels(&signed).wait::<i32>(queue), Ok(expected), "{size:?}");
        });
    }
}

#[test]
fn rows_and_columns_are_segments_and_an_axis() {
    let (gpu, queue) = (gpu(), &gpu().queue);
    let total = red_sum(gpu);
    for size @ [width, height] in SIZES {
        let (texture, words) = words(gpu, TextureFormat::R32Uint, size);
        let (all, row) = (total.of_texels(&texture), width as usize);
        let rows: Vec<u32> = words.chunks(row).map(sum).collect();
        let columns: Vec<u32> = (0..row).map(|x| sum(words[x..].iter().step_by(row))).collect();
        assert_eq!(all.clone().segments(width.into()).wait(queue), Ok(rows), "rows of {size:?}");
        let found = all.clone().axis(1, height.into(), width.into()).wait(queue);
        assert_eq!(found, Ok(columns), "columns of {size:?}");
        assert_eq!(all.strided(3).wait(queue), Ok(sum(words.iter().step_by(3))), "every third of {size:?}");
    }
}

#[test]
fn levels_layers_and_rectangles() {
    let gpu = gpu();
    let total = red_sum(gpu);
    // OpenGL has no views of one layer.
    let layers = if gpu.device.adapter_info().backend == Backend::Gl { 1 } else { 3 };
    if layers == 1 {
        let array = texture(gpu, TextureFormat::R32Uint, [37, 22], 1, 2);
        let error = total.of_texels(&array).plan().unwrap_err();
        assert_eq!(error, ReduceError::Texture(TextureError::OpenGl("no layer of an array")));
    }
    let array = texture(gpu, TextureFormat::R32Uint, [37, 22], 4, layers);
    for level in 0..4 {
        let [width, height] = [37u32 >> level, 22 >> level];
        for layer in 0..layers {
            let value = |x: u32, y: u32| 1000 * level + 100_000 * layer + 7 * x + 131 * y * y;
            let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
            let words: Vec<u32> = places.clone().map(|(x, y)| value(x, y)).collect();
            write(gpu, &array, level, layer, bytemuck::cast_slice(&words));
            let all = Texels::new(&array).level(level).layer(layer);
            assert_eq!(all.size(), [width, height]);
            let found = total.of_texels(all).wait::<u32>(&gpu.queue);
            assert_eq!(found, Ok(sum(&words)), "level {level}, layer {layer}");
            let corner @ [left, top] = [width / 3, height / 3];
            let size @ [across, down] = [(width - width / 3 - 1).max(1), (height / 2).max(1)];
            let inside =
                |&(x, y): &(u32, u32)| (left..left + across).contains(&x) && (top..top + down).contains(&y);
            let expected: u32 = places.filter(inside).map(|(x, y)| value(x, y)).sum();
            let found = total.of_texels(all.rectangle(corner, size)).wait::<u32>(&gpu.queue);
            assert_eq!(found, Ok(expected), "{corner:?}, {size:?} of level {level}, layer {layer}");
        }
    }
}

#[test]
fn floats_fractions_and_colours() {
    let gpu = gpu();
    // Fractions of 8 bits: 0 to 1, and after the decoding of sRGB as well.
    for (format, srgb) in [(TextureFormat::Rgba8Unorm, false), (TextureFormat::Rgba8UnormSrgb, true)] {
        let (texture, words) = words(gpu, format, [33, 18]);
        let linear = |byte: u32| {
            let part = f64::from(byte) / 255.0;
            if !srgb {
                part
            } else if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        for (nth, letter) in ["r", "g", "b", "a"].into_iter().enumerate() {
            let mean = reducer(gpu, Op::Mean, Element::F32, component(FLOAT, letter));
            let found: f32 = mean.of_texels(&texture).wait(&gpu.queue).unwrap();
            let bytes = words.iter().map(|word| word >> (8 * nth) & 255);
            let value = |byte| if letter == "a" { f64::from(byte) / 255.0 } else { linear(byte) };
            let expected = bytes.map(value).sum::<f64>() / words.len() as f64;
            // A byte is a fraction to 2^-24 or so. Hardware may decode sRGB by a table of 10 bits or more, rounded.
            let near = if srgb && letter != "a" { 1.0 / 2048.0 } else { 1e-6 };
            assert!((f64::from(found) - expected).abs() < near, "{format:?} {letter}: {found}, {expected}");
        }
    }
    // 16-bit floats are widened exactly: extremes are those of the numbers.
    let numbers: Vec<f32> = (0..60u16).map(|i| f32::from(i) * 0.25 - 7.0).collect();
    let texels: Vec<u16> =
        numbers.iter().flat_map(|x| [*x, 2.0 * x, -x, 1.0]).map(|x| f16::from_f32(x).to_bits()).collect();
    let texture = texture(gpu, TextureFormat::Rgba16Float, [10, 6], 1, 1);
    write(gpu, &texture, 0, 0, bytemuck::cast_slice(&texels));
    let twice = reducer(gpu, Op::MinMax, Element::F32, component(FLOAT, "g"));
    assert_eq!(twice.of_texels(&texture).wait::<(f32, f32)>(&gpu.queue).unwrap(), (-14.0, 15.5));
    let luminance = reducer(gpu, Op::Max, Element::F32, Map::luminance());
    let brightest: f32 = luminance.of_texels(&texture).wait(&gpu.queue).unwrap();
    let expected =
        numbers.iter().map(|x| 0.2126 * x + 0.7152 * 2.0 * x - 0.0722 * x).fold(f32::MIN, f32::max);
    assert!((brightest - expected).abs() < 1e-5, "{brightest}, {expected}");
}

#[test]
fn exact_sums_and_types_of_an_application() {
    let gpu = gpu();
    let exact = upper_sum(gpu);
    for size in SIZES {
        let (texture, words) = words(gpu, TextureFormat::R32Uint, size);
        let all = exact.of_texels(&texture);
        assert_eq!(all.clone().wait::<f32>(&gpu.queue), Ok(upper(&words)), "{size:?}");
        let rows: Vec<f32> = words.chunks(size[0] as usize).map(upper).collect();
        assert_eq!(all.segments(size[0].into()).wait(&gpu.queue), Ok(rows), "{size:?}");
    }
    // The rectangle around all texels that are not zero.
    let bounds = "alias Elem = vec4<u32>;
alias Acc = vec4<u32>;
fn map(elem: Elem, index: u32) -> Acc { return elem; }
fn identity() -> Acc { return vec4<u32>(0xffffffffu, 0xffffffffu, 0u, 0u); }
fn combine(a: Acc, b: Acc) -> Acc { return vec4<u32>(min(a.xy, b.xy), max(a.zw, b.zw)); }
fn finish(acc: Acc, n: u32) -> Acc { return acc; }
";
    let place = "fn map_texel(texel: vec4<f32>, at: vec2<u32>) -> vec4<u32> {
    return select(vec4<u32>(0xffffffffu, 0xffffffffu, 0u, 0u), vec4<u32>(at, at), texel.r > 0.0);
}";
    let bounds = Monoid::custom_struct("bounds", 16, Arity::One, bounds).unwrap();
    let bounds = bounds.of_texels(Map::texels(FLOAT, place).unwrap()).unwrap();
    let bounds = Reducer::new(&gpu.device, bounds).unwrap();
    let mut bytes = vec![0u8; 40 * 30];
    (bytes[7 * 40 + 9], bytes[21 * 40 + 3], bytes[12 * 40 + 31]) = (255, 1, 9);
    let image = texture(gpu, TextureFormat::R8Unorm, [40, 30], 1, 1);
    write(gpu, &image, 0, 0, &bytes);
    assert_eq!(bounds.of_texels(&image).wait(&gpu.queue), Ok([3u32, 7, 31, 21]));
    let part = Texels::new(&image).rectangle([5, 0], [20, 30]);
    assert_eq!(bounds.of_texels(part).wait(&gpu.queue), Ok([9u32, 7, 9, 7]));
}

#[test]
fn histograms_of_pictures() {
    let gpu = gpu();
    let limits = gpu.device.limits();
    for size in SIZES {
        let (texture, words) = words(gpu, TextureFormat::Rgba8Uint, size);
        let channels = Histogram::new(Keys::Numbers, 256, &limits)
            .with_map(component(TextureSampleType::Uint, "rgba"), &limits);
        let channels = channels.on(&gpu.device).unwrap();
        // Every third texel, row by row.
        let third = channels.config().clone().with_stride(3, 1).on(&gpu.device).unwrap();
        gpu.clean(|| {
            let found = channels.of_texels(&texture).wait(&gpu.queue).unwrap();
            assert!(found == byte_counts(words.iter()), "{size:?}");
            let found = third.of_texels(&texture).wait(&gpu.queue).unwrap();
            assert!(found == byte_counts(words.iter().skip(1).step_by(3)), "every third of {size:?}");
        });
    }
    // Ranges of floats.
    let (texture, words) = words(gpu, TextureFormat::Rgba8Unorm, [61, 43]);
    let config = Histogram::new(Keys::Ranges { low: 0.0, high: 1.0 }, 4, &limits)
        .with_map(component(FLOAT, "b"), &limits);
    let quarters = config.on(&gpu.device).unwrap();
    let mut expected = [0u32; 4];
    words.iter().for_each(|word| expected[((word >> 16 & 255) * 4 / 255).min(3) as usize] += 1);
    assert_eq!(quarters.of_texels(&texture).wait(&gpu.queue).unwrap(), expected);
}

/// Bindings of 4 KiB cut a plan into windows; a texture is bound as a whole in each.
#[test]
fn textures_in_windows() {
    let gpu = limited(|limits| limits.max_storage_buffer_binding_size = 1 << 12);
    let (texture, words) = words(&gpu, TextureFormat::R32Uint, [131, 77]);
    let place = reducer(&gpu, Op::ArgMax, Element::U32, component(TextureSampleType::Uint, "r"));
    let place = place.of_texels(&texture);
    assert!(place.plan().unwrap().launches().len() > 1);
    let (total, exact) = (red_sum(&gpu), upper_sum(&gpu));
    gpu.clean(|| {
        assert_eq!(place.wait(&gpu.queue), Ok(greatest(&words)));
        let rows: Vec<u32> = words.chunks(131).map(sum).collect();
        assert_eq!(total.of_texels(&texture).segments(131).wait(&gpu.queue), Ok(rows));
        assert_eq!(exact.of_texels(&texture).wait(&gpu.queue), Ok(upper(&words)));
    });
    let last = "fn map_texel(texel: vec4<u32>, at: vec2<u32>) -> u32 { return texel.r & 15u; }";
    let map = Map::texels(TextureSampleType::Uint, last).unwrap();
    let limits = gpu.device.limits();
    let config = Histogram::new(Keys::Numbers, 16, &limits).with_map(map, &limits);
    for config in [config.clone(), config.with_stride(3, 1)] {
        let mut expected = [0; 16];
        let taken = words.iter().skip(config.first as usize).step_by(config.stride as usize);
        taken.for_each(|word| expected[(word & 15) as usize] += 1);
        let histogram = config.on(&gpu.device).unwrap();
        let found = gpu.clean(|| histogram.of_texels(&texture).wait(&gpu.queue).unwrap());
        assert_eq!(found, expected);
    }
}

#[test]
fn depth_is_a_float_and_stencil_an_integer() {
    let gpu = gpu();
    let (format, [width, height]) = (TextureFormat::Depth24PlusStencil8, [45, 23]);
    let usage = TextureUsages::TEXTURE_BINDING | TextureUsages::RENDER_ATTACHMENT;
    let texture = with_usage(gpu, format, [width, height], [1, 1], usage);
    clear_depth(gpu, &texture, 0.25, Some(7));
    let depth = reducer(gpu, Op::MinMax, Element::F32, component(TextureSampleType::Depth, "r"));
    let (near, far): (f32, f32) = gpu.clean(|| depth.of_texels(&texture).wait(&gpu.queue).unwrap());
    assert!((near - 0.25).abs() < 1e-6 && near == far, "{near} {far}");
    let stencil = red_sum(gpu);
    if gpu.device.adapter_info().backend == Backend::Gl {
        let error = stencil.of_texels(&texture).plan().unwrap_err();
        assert_eq!(error, ReduceError::Texture(TextureError::OpenGl("no stencil")));
        return;
    }
    let sum: u32 = gpu.clean(|| stencil.of_texels(&texture).wait(&gpu.queue).unwrap());
    assert_eq!(sum, 7 * width * height);
}
