//! Textures as inputs, against texels that the test has made: every kind of sample, levels, layers, rectangles and shapes.

use crate::common::{Gpu, Random, compile, gpu, limited};
use half::f16;
use halofold::histogram::{Histogram, Keys};
use halofold::reduce::{Accuracy, Arity, Monoid, Op, Reduce};
use halofold::wgpu::{
    self, Backend, Extent3d, Texture, TextureDimension, TextureFormat, TextureSampleType, TextureUsages,
};
use halofold::{Compiled, Element, Error, Launches, Map, Texels, TextureError};
use halofold_cases::How;

pub const FLOAT: TextureSampleType = TextureSampleType::Float { filterable: false };

/// Usages of a texture that is written and bound.
pub const BOUND: TextureUsages = TextureUsages::TEXTURE_BINDING.union(TextureUsages::COPY_DST);

/// Widths and heights around those of strips.
const SIZES: [[u32; 2]; 9] =
    [[1, 1], [1, 7], [5, 1], [4, 4], [3, 9], [64, 8], [97, 31], [130, 67], [257, 251]];

pub fn is_gl(gpu: &Gpu) -> bool {
    gpu.device.adapter_info().backend == Backend::Gl
}

pub fn texture(
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

/// The bytes of a row of a level, and the level's size in one layer.
pub fn rows(texture: &Texture, level: u32) -> (u32, Extent3d) {
    let size = texture.size().mip_level_size(level, TextureDimension::D2);
    let texel = texture.format().block_copy_size(None).unwrap();
    (size.width * texel, Extent3d { depth_or_array_layers: 1, ..size })
}

/// Writes texels, row by row, to a level of a layer.
pub fn write(gpu: &Gpu, texture: &Texture, level: u32, layer: u32, bytes: &[u8]) {
    let (row, size) = rows(texture, level);
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
    let origin = wgpu::Origin3d { x: 0, y: 0, z: layer };
    let to = wgpu::TexelCopyTextureInfo { mip_level: level, origin, ..texture.as_image_copy() };
    gpu.queue.write_texture(to, bytes, layout, size);
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
    let pass =
        wgpu::RenderPassDescriptor { depth_stencil_attachment: Some(attachment), ..Default::default() };
    gpu.submit(|encoder| drop(encoder.begin_render_pass(&pass)));
}

/// A texture of random words, and the words.
fn words(gpu: &Gpu, format: TextureFormat, size: [u32; 2]) -> (Texture, Vec<u32>) {
    let mut random = Random::new(u64::from(size[0]) << 32 | u64::from(size[1]));
    let words: Vec<u32> = (0..size[0] * size[1]).map(|_| (random.next() >> 32) as u32).collect();
    let texture = texture(gpu, format, size, [1, 1], BOUND);
    write(gpu, &texture, 0, 0, bytemuck::cast_slice(&words));
    (texture, words)
}

fn compiled_by(gpu: &Gpu, op: Op, element: Element, map: Map, how: How) -> Compiled<Reduce> {
    how.on(&gpu.device, &op.over(element).unwrap().of_texels(map).unwrap()).unwrap()
}

fn reducer(gpu: &Gpu, op: Op, element: Element, map: Map) -> Compiled<Reduce> {
    compiled_by(gpu, op, element, map, How::default())
}

pub fn component(sample: TextureSampleType, letters: &str) -> Map {
    Map::components(sample, letters).unwrap()
}

fn red() -> Map {
    component(TextureSampleType::Uint, "r")
}

fn sum<'w>(words: impl IntoIterator<Item = &'w u32>) -> u32 {
    words.into_iter().fold(0, |sum, word| sum.wrapping_add(*word))
}

/// The exact sum of the upper 24 bits of words: as floats, too, it is one number, if it is rounded once.
fn upper(words: &[u32]) -> f32 {
    words.iter().map(|word| u64::from(word >> 8)).sum::<u64>() as f32
}

/// Counts of the numbers of `bits` bits in words: of the lowest one, the next one, and so on.
fn counts<'w>(words: impl Iterator<Item = &'w u32>, numbers: usize, bits: usize) -> Vec<u32> {
    let mut counts = vec![0; numbers << bits];
    for word in words {
        (0..numbers)
            .for_each(|nth| counts[(nth << bits) + (word >> (bits * nth)) as usize % (1 << bits)] += 1);
    }
    counts
}

/// Reductions in every shape and histograms of random words, against the CPU.
fn check(gpu: &Gpu, sizes: &[[u32; 2]], is_in_windows: bool) {
    let Gpu { device, queue } = gpu;
    let total = reducer(gpu, Op::Sum, Element::U32, red());
    let place = reducer(gpu, Op::ArgMax, Element::U32, red());
    let xor = reducer(gpu, Op::Xor, Element::I32, component(TextureSampleType::Sint, "r"));
    let in_two = How::default().with_launches(Launches::Two);
    let max = compiled_by(gpu, Op::Max, Element::U32, red(), in_two);
    let map = |wgsl| Map::texels(TextureSampleType::Uint, wgsl).unwrap();
    let high = map("fn map_texel(texel: vec4<u32>, at: vec2<u32>) -> f32 { return f32(texel.r >> 8u); }");
    let exact = How::default().with_accuracy(Accuracy::Exact);
    let exact = compiled_by(gpu, Op::Sum, Element::F32, high, exact);
    let low = map("fn map_texel(texel: vec4<u32>, at: vec2<u32>) -> u32 { return texel.r & 15u; }");
    let histograms = |map: Map, bins| {
        let config = Histogram::new(Keys::Numbers, bins).with_map(map);
        [config.clone(), config.with_stride(3, 1)].map(|config| compile(device, config).unwrap())
    };
    let low = histograms(low, 16);
    let bytes = histograms(component(TextureSampleType::Uint, "rgba"), 256);
    for &size @ [width, height] in sizes {
        gpu.clean(|| {
            let (texture, words) = words(gpu, TextureFormat::R32Uint, size);
            let (all, row, half) = (total.of_texels(&texture), width as usize, words.len() / 2);
            assert_eq!(all.clone().run(queue), Ok(sum(&words)), "{size:?}");
            assert_eq!(all.clone().accumulate().run(queue), Ok(sum(&words)), "{size:?}, onto 0");
            let found = all.clone().len(half as u64).run(queue);
            assert_eq!(found, Ok(sum(&words[..half])), "the first {half} of {size:?}, row by row");
            let rows: Vec<u32> = words.chunks(row).map(sum).collect();
            assert_eq!(all.clone().segments(width.into()).run(queue), Ok(rows), "rows of {size:?}");
            let columns: Vec<u32> = (0..row).map(|x| sum(words[x..].iter().step_by(row))).collect();
            let found = all.clone().axis(1, height.into(), width.into()).run(queue);
            assert_eq!(found, Ok(columns), "columns of {size:?}");
            let third = sum(words.iter().step_by(3));
            assert_eq!(all.strided(3).run(queue), Ok(third), "every third of {size:?}");

            let largest = *words.iter().max().unwrap();
            let first = words.iter().position(|word| *word == largest).unwrap() as u32;
            let place = place.of_texels(&texture);
            assert_eq!(place.plan().unwrap().launches().len() > 1, is_in_windows);
            assert_eq!(place.run(queue), Ok((largest, first)), "{size:?}");
            assert_eq!(max.of_texels(&texture).run(queue), Ok(largest), "{size:?}, in two launches");

            let all = exact.of_texels(&texture);
            assert_eq!(all.clone().run(queue), Ok(upper(&words)), "{size:?}");
            let rows: Vec<f32> = words.chunks(row).map(upper).collect();
            assert_eq!(all.segments(width.into()).run(queue), Ok(rows), "{size:?}");
        });
        gpu.clean(|| {
            let (signed, words) = words(gpu, TextureFormat::R32Sint, size);
            let expected = words.iter().fold(0, |xor, word| xor ^ *word as i32);
            assert_eq!(xor.of_texels(&signed).run(queue), Ok(expected), "{size:?}");
        });
        for (format, histograms, numbers, bits) in
            [(TextureFormat::R32Uint, &low, 1, 4), (TextureFormat::Rgba8Uint, &bytes, 4, 8)]
        {
            let (texture, words) = words(gpu, format, size);
            for histogram in histograms {
                let (first, stride) =
                    (histogram.operation().first as usize, histogram.operation().stride as usize);
                let found = gpu.clean(|| histogram.of_texels(&texture).run::<u32>(queue).unwrap());
                let expected = counts(words.iter().skip(first).step_by(stride), numbers, bits);
                assert!(found == expected, "{format:?} of {size:?}, every {stride} from {first} on");
            }
        }
    }
}

#[test]
fn every_texel_counts_once() {
    check(gpu(), &SIZES, false);
}

/// Bindings of 4 KiB cut a plan into windows; a texture is bound as a whole in each.
#[test]
fn textures_in_windows() {
    check(&limited(|limits| limits.max_storage_buffer_binding_size = 1 << 12), &[[131, 77]], true);
}

#[test]
fn levels_layers_and_rectangles() {
    let gpu = gpu();
    let total = reducer(gpu, Op::Sum, Element::U32, red());
    // OpenGL has no views of one layer.
    let layers = if is_gl(gpu) { 1 } else { 3 };
    if is_gl(gpu) {
        let array = texture(gpu, TextureFormat::R32Uint, [37, 22], [1, 2], BOUND);
        let error = total.of_texels(&array).plan().unwrap_err();
        assert_eq!(error, Error::Texture(TextureError::OpenGl("no layer of an array")));
    }
    let array = texture(gpu, TextureFormat::R32Uint, [37, 22], [4, layers], BOUND);
    for level in 0..4 {
        let [width, height] = [37u32 >> level, 22 >> level];
        for layer in 0..layers {
            let value = |x: u32, y: u32| 1000 * level + 100_000 * layer + 7 * x + 131 * y * y;
            let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
            let words: Vec<u32> = places.clone().map(|(x, y)| value(x, y)).collect();
            write(gpu, &array, level, layer, bytemuck::cast_slice(&words));
            let all = Texels::new(&array).level(level).layer(layer);
            assert_eq!(all.size(), [width, height]);
            let found = total.of_texels(all).run::<u32>(&gpu.queue);
            assert_eq!(found, Ok(sum(&words)), "level {level}, layer {layer}");
            let corner @ [left, top] = [width / 3, height / 3];
            let size @ [across, down] = [(width - width / 3 - 1).max(1), (height / 2).max(1)];
            let inside =
                |&(x, y): &(u32, u32)| (left..left + across).contains(&x) && (top..top + down).contains(&y);
            let expected: u32 = places.filter(inside).map(|(x, y)| value(x, y)).sum();
            let found = total.of_texels(all.rectangle(corner, size)).run::<u32>(&gpu.queue);
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
        for (nth, letter) in ["r", "g", "b", "a"].into_iter().enumerate() {
            let mean = reducer(gpu, Op::Mean, Element::F32, component(FLOAT, letter));
            let found: f32 = mean.of_texels(&texture).run(&gpu.queue).unwrap();
            let is_curved = srgb && letter != "a";
            let parts = words.iter().map(|word| f64::from(word >> (8 * nth) & 255) / 255.0);
            let linear = parts.map(|part| match part {
                _ if !is_curved => part,
                ..=0.04045 => part / 12.92,
                _ => ((part + 0.055) / 1.055).powf(2.4),
            });
            let expected = linear.sum::<f64>() / words.len() as f64;
            // A byte is a fraction to 2^-24 or so. Hardware may decode sRGB by a table of 10 bits or more, rounded.
            let near = if is_curved { 1.0 / 2048.0 } else { 1e-6 };
            assert!((f64::from(found) - expected).abs() < near, "{format:?} {letter}: {found}, {expected}");
        }
    }
    // 16-bit floats are widened exactly: extremes are those of the numbers.
    let numbers: Vec<f32> = (0..60u16).map(|i| f32::from(i) * 0.25 - 7.0).collect();
    let texels: Vec<u16> =
        numbers.iter().flat_map(|x| [*x, 2.0 * x, -x, 1.0]).map(|x| f16::from_f32(x).to_bits()).collect();
    let texture = texture(gpu, TextureFormat::Rgba16Float, [10, 6], [1, 1], BOUND);
    write(gpu, &texture, 0, 0, bytemuck::cast_slice(&texels));
    let twice = reducer(gpu, Op::MinMax, Element::F32, component(FLOAT, "g"));
    assert_eq!(twice.of_texels(&texture).run::<(f32, f32)>(&gpu.queue).unwrap(), (-14.0, 15.5));
    let luminance = reducer(gpu, Op::Max, Element::F32, Map::luminance());
    let brightest: f32 = luminance.of_texels(&texture).run(&gpu.queue).unwrap();
    let expected =
        numbers.iter().map(|x| 0.2126 * x + 0.7152 * 2.0 * x - 0.0722 * x).fold(f32::MIN, f32::max);
    assert!((brightest - expected).abs() < 1e-5, "{brightest}, {expected}");
    // Ranges of fractions.
    let (texture, words) = words(gpu, TextureFormat::Rgba8Unorm, [61, 43]);
    let quarters = Histogram::new(Keys::Ranges { low: 0.0, high: 1.0 }, 4);
    let quarters = gpu.compile(quarters.with_map(component(FLOAT, "b")));
    let mut expected = [0u32; 4];
    words.iter().for_each(|word| expected[((word >> 16 & 255) * 4 / 255).min(3) as usize] += 1);
    assert_eq!(quarters.of_texels(&texture).run::<u32>(&gpu.queue).unwrap(), expected);
}

/// The rectangle around all texels that are not zero.
#[test]
fn types_of_an_application() {
    let gpu = gpu();
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
    let bounds = gpu.compile(Reduce::new(bounds));
    let mut bytes = vec![0u8; 40 * 30];
    (bytes[7 * 40 + 9], bytes[21 * 40 + 3], bytes[12 * 40 + 31]) = (255, 1, 9);
    let image = texture(gpu, TextureFormat::R8Unorm, [40, 30], [1, 1], BOUND);
    write(gpu, &image, 0, 0, &bytes);
    assert_eq!(bounds.of_texels(&image).run(&gpu.queue), Ok([3u32, 7, 31, 21]));
    let part = Texels::new(&image).rectangle([5, 0], [20, 30]);
    assert_eq!(bounds.of_texels(part).run(&gpu.queue), Ok([9u32, 7, 9, 7]));
}

#[test]
fn depth_is_a_float_and_stencil_an_integer() {
    let gpu = gpu();
    let (format, [width, height]) = (TextureFormat::Depth24PlusStencil8, [45, 23]);
    let usage = TextureUsages::TEXTURE_BINDING | TextureUsages::RENDER_ATTACHMENT;
    let texture = texture(gpu, format, [width, height], [1, 1], usage);
    clear_depth(gpu, &texture, 0.25, Some(7));
    let depth = reducer(gpu, Op::MinMax, Element::F32, component(TextureSampleType::Depth, "r"));
    let (near, far): (f32, f32) = gpu.clean(|| depth.of_texels(&texture).run(&gpu.queue).unwrap());
    assert!((near - 0.25).abs() < 1e-6 && near == far, "{near} {far}");
    let stencil = reducer(gpu, Op::Sum, Element::U32, red());
    if is_gl(gpu) {
        let error = stencil.of_texels(&texture).plan().unwrap_err();
        assert_eq!(error, Error::Texture(TextureError::OpenGl("no stencil")));
        return;
    }
    let sum: u32 = gpu.clean(|| stencil.of_texels(&texture).run(&gpu.queue).unwrap());
    assert_eq!(sum, 7 * width * height);
}
