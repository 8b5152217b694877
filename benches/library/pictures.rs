//! Pictures of 3840 × 2160 texels: the extent of their luminance, its histogram, and both, one after the other; and the pyramid of
//! maxima, as of depth, at half the size, a quarter, and so on.

use std::cell::OnceCell;

use half::f16;
use halofold::histogram::{Histogram, Keys, reference};
use halofold::pyramid::Pyramid;
use halofold::reduce::{Op, Reducer};
use halofold::{Compiled, Element, Map, Slice, Texels, wgpu};
use halofold_measure::Rotation;
use wgpu::util::{DeviceExt as _, TextureDataOrder};
use wgpu::{Texture, TextureDescriptor, TextureFormat, TextureSampleType, TextureUsages};

use crate::calls::{CHAINED, Call, Expected, Made, Operation, Way, recorded, reduced};
use crate::common::{Extent, Machine};
use crate::pool::{Shared, WORD, generate, shared};
use crate::task::Task;

/// Pictures: more than any cache holds.
const PICTURES: u64 = 8;

/// Bins of a histogram, and bytes of their counts, behind which the extent lies.
const BINS: u32 = 256;
const COUNTS: u64 = WORD * BINS as u64;
const UNIT: Keys = Keys::Ranges { low: 0.0, high: 1.0 };

/// The weight of green in luminance.
const GREEN: f32 = 0.7152;

/// Equal textures in turn, and the numbers that their texels stand for.
type Pictures = (Rotation<Texture>, Vec<f32>);

/// All of them.
pub fn tasks(machine: &Machine) -> Vec<Task<'_>> {
    let size = if machine.extent == Extent::Software { [192, 108] } else { [3840, 2160] };
    let (texels, [width, height]) = (u64::from(size[0] * size[1]), size);
    let mut tasks = Vec::new();
    for (format, name, bytes) in
        [(TextureFormat::Rgba16Float, "rgba16float", 8), (TextureFormat::R8Unorm, "r8unorm", 1)]
    {
        let pictures = shared(move || pictures(machine, format, size));
        tasks.extend(["extent", "histogram-256", "extent-and-histogram-256"].map(|op| {
            let pictures = pictures.clone();
            let make = move |way| operation(&machine.device, way, op, pictures.clone());
            Task::new([op, "texture", name], texels, bytes * texels, &[], make)
        }));
    }
    let work = ["pyramid-max", "texture", "r32float"];
    let task = Task::new(work, texels, WORD * texels, &[], move |way| pyramid(machine, way, size));
    tasks.push(Task { ways: &[CHAINED], ..task });
    tasks.into_iter().map(|task| Task { size: format!("{width}x{height}"), ..task }).collect()
}

/// Red, of texels that have no more.
fn red() -> Made<Map> {
    Ok(Map::components(TextureSampleType::Float { filterable: false }, "r")?)
}

/// The extent, the histogram or both. Zeros are left out.
fn operation<'a>(
    device: &'a wgpu::Device,
    way: Way,
    op: &str,
    pictures: Shared<'a, Pictures>,
) -> Made<Operation<'a>> {
    let [extent, histogram] = ["extent", "histogram"].map(|part| op.contains(part));
    let (textures, luminance) = &**pictures;
    let is_red = textures.all()[0].format() == TextureFormat::R8Unorm;
    let map = if is_red { red()? } else { Map::luminance() };
    let range = Reducer::new(device, Op::MinMax.over(Element::F32)?.of_texels(map.clone())?)?;
    let bins = Compiled::new(device, Histogram::new(UNIT, BINS).with_map(map), &Default::default())?;
    let bits: Vec<u32> = luminance.iter().map(|x| x.to_bits()).collect();
    let mut words = reference::counts(&UNIT, BINS, if histogram { &bits } else { &[] });
    let ends = [f32::min, f32::max].map(|end| luminance.iter().copied().reduce(end).unwrap_or_default());
    words.extend(ends.map(|end| if extent { end.to_bits() } else { 0 }));
    let workspace = OnceCell::new();
    Operation::new(
        &[COUNTS + 8],
        move |_, outputs| {
            let (picture, output) = (pictures.0.next(), &outputs[0]);
            let found = range.of_texels(picture);
            let found = reduced(device, way, &workspace, found, Slice::at(output, COUNTS))?;
            let counted = recorded(bins.of_texels(picture).into(Slice::new(output, 0, COUNTS)))?;
            let calls = [found, counted].into_iter().zip([extent, histogram]);
            Ok(in_turn(calls.filter_map(|(call, is_in)| is_in.then_some(call))))
        },
        move |_, _| vec![Expected::words(words.clone(), 1)],
    )
}

/// Every call waits for the one before. It also reads the last level, of one texel, back to the number that is verified: one small
/// dispatch more.
fn pyramid<'a>(machine: &'a Machine, way: Way, size: [u32; 2]) -> Made<Operation<'a>> {
    let device = &machine.device;
    let (sources, depths) = pictures(machine, TextureFormat::R32Float, size);
    let levels = size[0].max(size[1]).ilog2();
    let usage = TextureUsages::STORAGE_BINDING;
    let target =
        device.create_texture(&described(TextureFormat::R32Float, size.map(|side| side / 2), levels, usage));
    let pyramid = Pyramid::new(device, Op::Max, red()?)?;
    let top = Reducer::new(device, Op::Max.over(Element::F32)?.of_texels(red()?)?)?;
    let greatest = depths.into_iter().fold(0.0, f32::max);
    let workspace = OnceCell::new();
    Operation::new(
        &[WORD],
        move |_, outputs| {
            let made = recorded(pyramid.prepare(sources.next(), &target))?;
            let last = top.of_texels(Texels::new(&target).level(levels - 1));
            let found = reduced(device, way, &workspace, last, (&outputs[0]).into())?;
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

/// A texture.
fn described(
    format: TextureFormat,
    size: [u32; 2],
    levels: u32,
    usage: TextureUsages,
) -> TextureDescriptor<'static> {
    TextureDescriptor {
        label: Some("halofold picture"),
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
fn pictures(machine: &Machine, format: TextureFormat, size: [u32; 2]) -> Pictures {
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
    let picture = |_| {
        machine.device.create_texture_with_data(
            &machine.queue,
            &described,
            TextureDataOrder::LayerMajor,
            &bytes,
        )
    };
    let textures = Rotation::new((0..PICTURES).map(picture).collect());
    (textures.expect("there are pictures"), numbers.collect())
}
