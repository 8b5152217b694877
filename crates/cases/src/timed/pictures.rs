//! Pictures of 3840 × 2160 texels: the extent of their luminance, its histogram, and both, one after the other; and the pyramid of
//! maxima, as of depth, at half the size, a quarter, and so on.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use half::f16;
use halofold::histogram::{Histogram, Keys, reference};
use halofold::pyramid::Pyramid;
use halofold::reduce::{Op, Reduce};
use halofold::{Element, Map, Slice, Texels, Workspace, wgpu};
use wgpu::util::{DeviceExt as _, TextureDataOrder};
use wgpu::{Texture, TextureDescriptor, TextureFormat, TextureSampleType, TextureUsages};

use super::runnable::reduced;
use super::{CHAINED, Call, Expected, Made, Runnable, Timed, WORD, Way, compile, generate, recorded};

/// Pictures: more than any cache holds.
const PICTURES: u64 = 8;

/// Bins of a histogram, and bytes of their counts, behind which the extent lies.
const BINS: u32 = 256;
const COUNTS: u64 = WORD * BINS as u64;
const UNIT: Keys = Keys::Ranges { low: 0.0, high: 1.0 };

/// The weight of green in luminance.
const GREEN: f32 = 0.7152;

/// Equal textures in turn, and the numbers that their texels stand for.
struct Pictures {
    textures: Vec<Texture>,
    turn: Cell<usize>,
    numbers: Vec<f32>,
}

impl Pictures {
    fn next(&self) -> &Texture {
        &self.textures[self.turn.replace((self.turn.get() + 1) % self.textures.len())]
    }
}

/// All rows.
pub fn rows(is_small: bool) -> Vec<Timed> {
    let size = if is_small { [192, 108] } else { [3840, 2160] };
    let (texels, [width, height]) = (u64::from(size[0] * size[1]), size);
    let mut rows = Vec::new();
    for (format, name, bytes) in
        [(TextureFormat::Rgba16Float, "rgba16float", 8), (TextureFormat::R8Unorm, "r8unorm", 1)]
    {
        let made = Rc::new(OnceCell::new());
        rows.extend(["extent", "histogram-256", "extent-and-histogram-256"].map(|op| {
            let made: Rc<OnceCell<Rc<Pictures>>> = made.clone();
            let make = move |device: &_, queue: &_, way| {
                let pictures = made.get_or_init(|| Rc::new(pictures(device, queue, format, size)));
                of_pictures(device, way, op, pictures.clone())
            };
            Timed::new([op, "texture", name], texels, bytes * texels, &[], make)
        }));
    }
    let work = ["pyramid-max", "texture", "r32float"];
    let make = move |device: &_, queue: &_, way| pyramid(device, queue, way, size);
    let row = Timed::new(work, texels, WORD * texels, &[], make);
    rows.push(Timed { ways: &[CHAINED], ..row });
    rows.into_iter().map(|row| Timed { size: format!("{width}x{height}"), ..row }).collect()
}

/// Red, of texels that have no more.
fn red() -> Made<Map> {
    Ok(Map::components(TextureSampleType::Float { filterable: false }, "r")?)
}

/// The extent, the histogram or both. Zeros are left out.
fn of_pictures(device: &wgpu::Device, way: Way, op: &str, pictures: Rc<Pictures>) -> Made<Runnable> {
    let device = device.clone();
    let [extent, histogram] = ["extent", "histogram"].map(|part| op.contains(part));
    let luminance = &pictures.numbers;
    let is_red = pictures.next().format() == TextureFormat::R8Unorm;
    let map = if is_red { red()? } else { Map::luminance() };
    let range = compile(&device, Reduce::new(Op::MinMax.over(Element::F32)?.of_texels(map.clone())?))?;
    let bins = compile(&device, Histogram::new(UNIT, BINS).with_map(map))?;
    let bits: Vec<u32> = luminance.iter().map(|x| x.to_bits()).collect();
    let mut words = reference::counts(&UNIT, BINS, if histogram { &bits } else { &[] });
    let ends = [f32::min, f32::max].map(|end| luminance.iter().copied().reduce(end).unwrap_or_default());
    words.extend(ends.map(|end| if extent { end.to_bits() } else { 0 }));
    let workspace = Workspace::new(&device);
    Runnable::new(
        &[COUNTS + 8],
        move |_, outputs| {
            let (picture, output) = (pictures.next(), &outputs[0]);
            let found = range.of_texels(picture);
            let found = reduced(way, &workspace, found, Slice::at(output, COUNTS))?;
            let counted = recorded(bins.of_texels(picture).bind(Slice::new(output, 0, COUNTS)))?;
            let calls = [found, counted].into_iter().zip([extent, histogram]);
            Ok(in_turn(calls.filter_map(|(call, is_in)| is_in.then_some(call))))
        },
        move |_, _| vec![Expected::words(words.clone(), 1)],
    )
}

/// Calls are chained. Each also reduces the last level, of one texel, to the number that is verified: one small dispatch more.
fn pyramid(device: &wgpu::Device, queue: &wgpu::Queue, way: Way, size: [u32; 2]) -> Made<Runnable> {
    let device = device.clone();
    let sources = pictures(&device, queue, TextureFormat::R32Float, size);
    let levels = size[0].max(size[1]).ilog2();
    let usage = TextureUsages::STORAGE_BINDING;
    let target =
        device.create_texture(&described(TextureFormat::R32Float, size.map(|side| side / 2), levels, usage));
    let pyramid = compile(&device, Pyramid::new(Op::Max, red()?))?;
    let top = compile(&device, Reduce::new(Op::Max.over(Element::F32)?.of_texels(red()?)?))?;
    let greatest = sources.numbers.iter().copied().fold(0.0, f32::max);
    let workspace = Workspace::new(&device);
    Runnable::new(
        &[WORD],
        move |_, outputs| {
            let made = recorded(pyramid.bind(sources.next(), &target))?;
            let last = top.of_texels(Texels::new(&target).level(levels - 1));
            let found = reduced(way, &workspace, last, (&outputs[0]).into())?;
            Ok(in_turn([made, found]))
        },
        move |_, _| vec![Expected::words([greatest], 1)],
    )
}

/// The call that makes others one after the other.
fn in_turn(calls: impl IntoIterator<Item = Call>) -> Call {
    let calls: Vec<Call> = calls.into_iter().collect();
    Box::new(move |pass| calls.iter().for_each(|call| call(pass)))
}

/// A texture that is bound, and used in other ways.
pub(crate) fn described(
    format: TextureFormat,
    size: [u32; 2],
    levels: u32,
    usage: TextureUsages,
) -> TextureDescriptor<'static> {
    TextureDescriptor {
        label: Some("halofold cases"),
        size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: usage | TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    }
}

/// Pictures of one level with random texels: red bytes, depths, or green floats, each in the middle of a bin of luminance, which is one product.
fn pictures(device: &wgpu::Device, queue: &wgpu::Queue, format: TextureFormat, size: [u32; 2]) -> Pictures {
    let texels = u64::from(size[0] * size[1]);
    let green = |word| f16::from_f32((f32::from(word as u8) + 0.5) / BINS as f32 / GREEN);
    let bytes = match format {
        TextureFormat::R8Unorm => generate(texels, |_, word| word as u8),
        TextureFormat::R32Float => generate(texels, |_, word| (word & 0xffff) as f32),
        _ => generate(texels, |_, word| [f16::ZERO, green(word), f16::ZERO, f16::ZERO]),
    };
    let numbers = bytes.chunks_exact(bytes.len() / texels as usize).map(|texel| match format {
        TextureFormat::R8Unorm => f32::from(texel[0]) / 255.0,
        TextureFormat::R32Float => bytemuck::pod_read_unaligned(texel),
        _ => GREEN * f16::from_ne_bytes([texel[2], texel[3]]).to_f32(),
    });
    let described = described(format, size, 1, TextureUsages::COPY_DST);
    let picture =
        |_| device.create_texture_with_data(queue, &described, TextureDataOrder::LayerMajor, &bytes);
    Pictures {
        textures: (0..PICTURES).map(picture).collect(),
        turn: Cell::new(0),
        numbers: numbers.collect(),
    }
}
