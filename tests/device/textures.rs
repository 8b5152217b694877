//! Textures as inputs, against texels that the test has made: every kind of sample, levels, layers, rectangles, shapes, and wrong use.

use crate::common::{Gpu, Random, gpu, limited};
use half::f16;
use halofold::histogram::{Histogram, Keys, OperationError};
use halofold::reduce::{Accuracy, Launches, Monoid, Op, ReduceError, Reducer, Shape};
use halofold::wgpu::{
    self, Backend, Extent3d, Texture, TextureDimension, TextureFormat, TextureSampleType, TextureUsages,
};
use halofold::{Element, Map, Texels, TextureError};

const FLOAT: TextureSampleType = TextureSampleType::Float { filterable: false };

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

fn component(sample: TextureSampleType, letters: &str) -> Map {
    Map::components(sample, letters).unwrap()
}

#[test]
fn every_texel_counts_once() {
    let gpu = gpu();
    let sum = reducer(gpu, Op::Sum, Element::U32, component(TextureSampleType::Uint, "r"));
    let xor = reducer(gpu, Op::Xor, Element::I32, component(TextureSampleType::Sint, "r"));
    let place = reducer(gpu, Op::ArgMax, Element::U32, component(TextureSampleType::Uint, "r"));
    let max = Op::Max.over(Element::U32).unwrap().of_texels(component(TextureSampleType::Uint, "r")).unwrap();
    let twice = halofold::reduce::Options::default().with_launches(Launches::Two);
    let max = Reducer::with_options(&gpu.device, max, twice).unwrap();
    for size in SIZES {
        gpu.clean(|| {
            let (unsigned, words) = words(gpu, TextureFormat::R32Uint, size);
            let expected = words.iter().fold(0u32, |sum, word| sum.wrapping_add(*word));
            assert_eq!(sum.of_texels(&unsigned).wait::<u32>(&gpu.queue).unwrap(), expected, "{size:?}");
            // The first of the greatest, row by row.
            let greatest = *words.iter().max().unwrap();
            let first = words.iter().position(|word| *word == greatest).unwrap() as u32;
            let found: (u32, u32) = place.of_texels(&unsigned).wait(&gpu.queue).unwrap();
            assert_eq!(found, (greatest, first), "{size:?}");
            let found: u32 = max.of_texels(&unsigned).wait(&gpu.queue).unwrap();
            assert_eq!(found, greatest, "{size:?}, in two launches");
            let accumulated: u32 = sum.of_texels(&unsigned).accumulate().wait(&gpu.queue).unwrap();
            assert_eq!(accumulated, expected, "{size:?}, onto 0");
            // Only the first texels, row by row.
            let half = words.len() as u64 / 2;
            let found: u32 = sum.of_texels(&unsigned).len(half).wait(&gpu.queue).unwrap();
            let expected = words[..half as usize].iter().fold(0u32, |sum, word| sum.wrapping_add(*word));
            assert_eq!(found, expected, "the first {half} of {size:?}");
        });
        gpu.clean(|| {
            let (signed, words) = self::words(gpu, TextureFormat::R32Sint, size);
            let expected = words.iter().fold(0, |xor, word| xor ^ *word as i32);
            assert_eq!(xor.of_texels(&signed).wait::<i32>(&gpu.queue).unwrap(), expected, "{size:?}");
        });
    }
}

#[test]
fn rows_and_columns_are_segments_and_an_axis() {
    let gpu = gpu();
    let sum = reducer(gpu, Op::Sum, Element::U32, component(TextureSampleType::Uint, "r"));
    for size @ [width, height] in SIZES {
        let (texture, words) = words(gpu, TextureFormat::R32Uint, size);
        let add = |a: u32, b: &u32| a.wrapping_add(*b);
        let rows: Vec<u32> = words.chunks(width as usize).map(|row| row.iter().fold(0, add)).collect();
        let column = |x: usize| words[x..].iter().step_by(width as usize).fold(0, add);
        let columns: Vec<u32> = (0..width as usize).map(column).collect();
        let described = sum.of_texels(&texture);
        let found: Vec<u32> = described.clone().segments(width.into()).wait(&gpu.queue).unwrap();
        assert_eq!(found, rows, "rows of {size:?}");
        let found: Vec<u32> =
            described.clone().axis(1, height.into(), width.into()).wait(&gpu.queue).unwrap();
        assert_eq!(found, columns, "columns of {size:?}");
        let found: u32 = described.strided(3).wait(&gpu.queue).unwrap();
        assert_eq!(found, words.iter().step_by(3).fold(0, add), "every third of {size:?}");
    }
}

#[test]
fn levels_layers_and_rectangles() {
    let gpu = gpu();
    let sum = reducer(gpu, Op::Sum, Element::U32, component(TextureSampleType::Uint, "r"));
    // OpenGL has no views of one layer.
    let layers = if gpu.device.adapter_info().backend == Backend::Gl { 1 } else { 3 };
    if layers == 1 {
        let array = texture(gpu, TextureFormat::R32Uint, [37, 22], 1, 2);
        let error = sum.of_texels(&array).plan().unwrap_err();
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
            let found: u32 = sum.of_texels(all).wait(&gpu.queue).unwrap();
            assert_eq!(found, words.iter().sum::<u32>(), "level {level}, layer {layer}");
            let (corner, size) = ([width / 3, height / 3], [width - width / 3 - 1, (height / 2).max(1)]);
            let part = all.rectangle(corner, [size[0].max(1), size[1]]);
            let inside = |&(x, y): &(u32, u32)| {
                (corner[0]..corner[0] + size[0].max(1)).contains(&x)
                    && (corner[1]..corner[1] + size[1]).contains(&y)
            };
            let expected: u32 = places.filter(inside).map(|(x, y)| value(x, y)).sum();
            let found: u32 = sum.of_texels(part).wait(&gpu.queue).unwrap();
            assert_eq!(found, expected, "{corner:?}, {size:?} of level {level}, layer {layer}");
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
    for size in SIZES {
        let (texture, words) = words(gpu, TextureFormat::R32Uint, size);
        // Integers up to 2^24 are floats: their sum is one, too, if it is rounded once.
        let scaled = "fn map_texel(texel: vec4<u32>, at: vec2<u32>) -> f32 { return f32(texel.r >> 8u); }";
        let map = Map::texels(TextureSampleType::Uint, scaled).unwrap();
        let sum = Op::Sum.over(Element::F32).unwrap().of_texels(map).unwrap();
        let options = halofold::reduce::Options::default().with_accuracy(Accuracy::Exact);
        let exact = Reducer::with_options(&gpu.device, sum, options).unwrap();
        let found: f32 = exact.of_texels(&texture).wait(&gpu.queue).unwrap();
        let expected = words.iter().map(|word| u64::from(word >> 8)).sum::<u64>() as f32;
        assert_eq!(found, expected, "{size:?}");
        let rows: Vec<f32> = exact.of_texels(&texture).segments(size[0].into()).wait(&gpu.queue).unwrap();
        let row = |row: &[u32]| row.iter().map(|word| u64::from(word >> 8)).sum::<u64>() as f32;
        assert_eq!(rows, words.chunks(size[0] as usize).map(row).collect::<Vec<_>>(), "{size:?}");
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
    let bounds = Monoid::custom_struct("bounds", 16, halofold::reduce::Arity::One, bounds).unwrap();
    let bounds = bounds.of_texels(Map::texels(FLOAT, place).unwrap()).unwrap();
    let bounds = Reducer::new(&gpu.device, bounds).unwrap();
    let mut bytes = vec![0u8; 40 * 30];
    (bytes[7 * 40 + 9], bytes[21 * 40 + 3], bytes[12 * 40 + 31]) = (255, 1, 9);
    let image = texture(gpu, TextureFormat::R8Unorm, [40, 30], 1, 1);
    write(gpu, &image, 0, 0, &bytes);
    let found: [u32; 4] = bounds.of_texels(&image).wait(&gpu.queue).unwrap();
    assert_eq!(found, [3, 7, 31, 21]);
    let found: [u32; 4] =
        bounds.of_texels(Texels::new(&image).rectangle([5, 0], [20, 30])).wait(&gpu.queue).unwrap();
    assert_eq!(found, [9, 7, 9, 7]);
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
        let mut expected = vec![0u32; 4 * 256];
        for (word, channel) in words.iter().flat_map(|word| (0..4).map(move |channel| (word, channel))) {
            expected[256 * channel + (word >> (8 * channel) & 255) as usize] += 1;
        }
        let found = gpu.clean(|| channels.of_texels(&texture).wait(&gpu.queue).unwrap());
        assert!(found == expected, "{size:?}");
        // Every third texel, row by row.
        let third = channels.config().clone().with_stride(3, 1);
        let third = third.on(&gpu.device).unwrap();
        let mut expected = vec![0u32; 4 * 256];
        for word in words.iter().skip(1).step_by(3) {
            (0..4).for_each(|channel| expected[256 * channel + (word >> (8 * channel) & 255) as usize] += 1);
        }
        assert!(third.of_texels(&texture).wait(&gpu.queue).unwrap() == expected, "every third of {size:?}");
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
    let red = || component(TextureSampleType::Uint, "r");
    let place = reducer(&gpu, Op::ArgMax, Element::U32, red());
    let greatest = *words.iter().max().unwrap();
    let first = words.iter().position(|word| *word == greatest).unwrap() as u32;
    assert!(place.of_texels(&texture).plan().unwrap().launches().len() > 1);
    let found: (u32, u32) = gpu.clean(|| place.of_texels(&texture).wait(&gpu.queue).unwrap());
    assert_eq!(found, (greatest, first));
    let sum = reducer(&gpu, Op::Sum, Element::U32, red());
    let rows: Vec<u32> = gpu.clean(|| sum.of_texels(&texture).segments(131).wait(&gpu.queue).unwrap());
    let row = |row: &[u32]| row.iter().fold(0u32, |sum, word| sum.wrapping_add(*word));
    assert_eq!(rows, words.chunks(131).map(row).collect::<Vec<_>>());
    let scaled = "fn map_texel(texel: vec4<u32>, at: vec2<u32>) -> f32 { return f32(texel.r >> 8u); }";
    let map = Map::texels(TextureSampleType::Uint, scaled).unwrap();
    let exact = Op::Sum.over(Element::F32).unwrap().of_texels(map).unwrap().exact().unwrap();
    let exact = Reducer::new(&gpu.device, exact).unwrap();
    let found: f32 = gpu.clean(|| exact.of_texels(&texture).wait(&gpu.queue).unwrap());
    assert_eq!(found, words.iter().map(|word| u64::from(word >> 8)).sum::<u64>() as f32);
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
    let view = texture.create_view(&Default::default());
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &view,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(0.25),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(7), store: wgpu::StoreOp::Store }),
        }),
        ..Default::default()
    });
    gpu.queue.submit([encoder.finish()]);
    let depth = reducer(gpu, Op::MinMax, Element::F32, component(TextureSampleType::Depth, "r"));
    let (near, far): (f32, f32) = gpu.clean(|| depth.of_texels(&texture).wait(&gpu.queue).unwrap());
    assert!((near - 0.25).abs() < 1e-6 && near == far, "{near} {far}");
    let stencil = reducer(gpu, Op::Sum, Element::U32, component(TextureSampleType::Uint, "r"));
    if gpu.device.adapter_info().backend == Backend::Gl {
        let error = stencil.of_texels(&texture).plan().unwrap_err();
        assert_eq!(error, ReduceError::Texture(TextureError::OpenGl("no stencil")));
        return;
    }
    let sum: u32 = gpu.clean(|| stencil.of_texels(&texture).wait(&gpu.queue).unwrap());
    assert_eq!(sum, 7 * width * height);
}

#[test]
fn wrong_textures_are_errors() {
    let gpu = gpu();
    let sum = reducer(gpu, Op::Sum, Element::F32, component(FLOAT, "r"));
    let plain = Reducer::new(&gpu.device, Op::Sum.over(Element::F32).unwrap()).unwrap();
    let good = texture(gpu, TextureFormat::Rgba8Unorm, [8, 4], 2, 1);
    let buffer = crate::common::room(gpu, 64);
    let described = |size: Extent3d, dimension, sample_count, format, usage| wgpu::TextureDescriptor {
        label: None,
        size,
        mip_level_count: 1,
        sample_count,
        dimension,
        format,
        usage,
        view_formats: &[],
    };
    let flat = Extent3d { width: 8, height: 4, depth_or_array_layers: 1 };
    let (d2, rgba, usage) = (TextureDimension::D2, TextureFormat::Rgba8Unorm, TextureUsages::TEXTURE_BINDING);
    let target = usage | TextureUsages::RENDER_ATTACHMENT;
    let made = |descriptor: wgpu::TextureDescriptor<'_>| gpu.device.create_texture(&descriptor);
    let deep =
        made(described(Extent3d { depth_or_array_layers: 2, ..flat }, TextureDimension::D3, 1, rgba, usage));
    let unused = made(described(flat, d2, 1, rgba, TextureUsages::COPY_DST));
    let integers = made(described(flat, d2, 1, TextureFormat::Rgba8Uint, usage));
    let several = made(described(flat, d2, 4, rgba, target));
    let at = Texels::new(&good);
    let within = [8, 4];
    let wrong = |corner, size| TextureError::Rectangle { corner, size, within };
    let cases = [
        (Texels::new(&unused), TextureError::Usage(TextureUsages::TEXTURE_BINDING)),
        (Texels::new(&deep), TextureError::Dimension(TextureDimension::D3)),
        (Texels::new(&several), TextureError::Samples(4)),
        (
            Texels::new(&integers),
            TextureError::Format { format: TextureFormat::Rgba8Uint, needed: "samples of f32".to_owned() },
        ),
        (at.level(2), TextureError::Level { level: 2, levels: 2 }),
        (at.layer(1), TextureError::Layer { layer: 1, layers: 1 }),
        (at.rectangle([0, 0], [9, 1]), wrong([0, 0], [9, 1])),
        (at.rectangle([8, 0], [1, 1]), wrong([8, 0], [1, 1])),
        (at.rectangle([1, 1], [0, 1]), wrong([1, 1], [0, 1])),
        (at.rectangle([u32::MAX, 1], [2, 1]), wrong([u32::MAX, 1], [2, 1])),
    ];
    gpu.clean(|| {
        for (texels, expected) in cases {
            assert_eq!(sum.of_texels(texels).wait::<f32>(&gpu.queue), Err(ReduceError::Texture(expected)));
        }
        assert_eq!(plain.of_texels(&good).plan().unwrap_err(), ReduceError::Texture(TextureError::NoMap));
        assert_eq!(sum.of(&buffer).plan().unwrap_err(), ReduceError::Texture(TextureError::NoTexture));
        let histogram = Histogram::new(Keys::Numbers, 4, &gpu.device.limits()).on(&gpu.device).unwrap();
        let error = histogram.of_texels(&good).wait(&gpu.queue).unwrap_err();
        assert_eq!(error, OperationError::Texture(TextureError::NoMap));
        assert!(sum.of_texels(&good).shape(Shape::Segments { len: 3 }).plan().is_err());
        assert!(sum.of_texels(&good).len(33).plan().is_err());
    });
    let over = |op: Op, element| op.over(element).unwrap();
    let red = || component(FLOAT, "r");
    assert!(over(Op::Dot, Element::F32).of_texels(red()).is_err(), "two inputs");
    assert!(over(Op::Sum, Element::F64).of_texels(red()).is_err(), "64 bits");
    assert!(over(Op::Sum, Element::U32).of_texels(red()).is_err(), "another type");
    let elements =
        Map::custom(Element::F32, "fn map(elem: Elem, index: u32) -> f32 { return elem; }").unwrap();
    assert!(over(Op::Sum, Element::F32).of_texels(elements).is_err(), "no map of texels");
    let unknown = "fn map_texel(texel: vec4<f32>, at: vec2<u32>) -> f32 { return texel.q; }";
    assert!(Map::texels(FLOAT, unknown).unwrap_err().to_string().contains("line 1"));
    let integer = "fn map_texel(texel: vec4<u32>, at: vec2<u32>) -> f32 { return f32(texel.r); }";
    assert!(Map::texels(FLOAT, integer).unwrap_err().to_string().contains("vec4<f32>"));
}
