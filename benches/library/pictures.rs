//! Pictures of 3840 × 2160 texels: the extent of their luminance, its histogram, and both, one after the other; and the pyramid of
//! maxima, as of depth, at half the size, a quarter, and so on.

use half::f16;
use halofold::histogram::{Histogram, Keys};
use halofold::pyramid::Pyramid;
use halofold::reduce::{Op, Reducer};
use halofold::{Element, Map, Slice, Texels, wgpu};
use wgpu::{Texture, TextureFormat, TextureSampleType, TextureUsages};

use crate::calls::{Expected, Made, Operation, Way};
use crate::common::{Extent, Machine};
use crate::pool::{Shared, WORD, generate, shared};
use crate::task::Task;

/// Pictures: more than any cache holds.
const PICTURES: usize = 8;

/// Bins of a histogram.
const BINS: usize = 256;

/// Bytes of the counts, behind which the extent lies.
const COUNTS: u64 = WORD * BINS as u64;

/// Green of the brightest texel of floats. Its luminance is one product, exact but for the factor's own rounding.
const GREEN: f32 = 4.0;

/// Operations on a picture: whether they find the extent, and the histogram.
const OPERATIONS: [(&str, [bool; 2]); 3] =
    [("extent", [true, false]), ("histogram-256", [false, true]), ("extent-and-histogram-256", [true, true])];

/// All of them.
pub fn tasks(machine: &Machine) -> Vec<Task<'_>> {
    let size = if machine.extent() == Extent::Software { [192, 108] } else { [3840, 2160] };
    let texels = u64::from(size[0] * size[1]);
    let mut tasks = Vec::new();
    for (format, name, bytes) in
        [(TextureFormat::Rgba16Float, "rgba16float", 8), (TextureFormat::R8Unorm, "r8unorm", 1)]
    {
        let levels = move || {
            let mut levels = generate(texels, 0, |_, word| [word as u8]);
            (levels[0], levels[texels as usize - 1]) = (0, 255);
            levels
        };
        let pictures = shared(move || {
            let texels = if bytes == 1 { levels() } else { floats(&levels()) };
            pictures(machine, format, size, &texels)
        });
        tasks.extend(OPERATIONS.map(|(op, finds)| {
            let pictures = pictures.clone();
            let make = move |_, _: &[Slice<'_>]| operation(machine, &levels(), finds, pictures.clone());
            let task = Task::new([op, "texture", name], texels, bytes * texels, &[], make);
            Task { size: Some(size), ..task }
        }));
    }
    let make = move |_, _: &[Slice<'_>]| pyramid(machine, size);
    let task = Task::new(["pyramid-max", "texture", "r32float"], texels, WORD * texels, &[], make);
    tasks.push(Task { size: Some(size), ways: &[Way::CHAINED], ..task });
    tasks
}

/// Red, of texels that have no more.
fn red() -> Made<Map> {
    Ok(Map::components(TextureSampleType::Float { filterable: false }, "r")?)
}

/// The extent, the histogram or both, of pictures whose luminance is `levels` in parts of the brightest.
fn operation<'a>(
    machine: &Machine,
    levels: &[u8],
    [extent, histogram]: [bool; 2],
    pictures: Shared<'a, Vec<Texture>>,
) -> Made<Operation<'a>> {
    let is_bytes = pictures[0].format() == TextureFormat::R8Unorm;
    let map = if is_bytes { red()? } else { Map::luminance() };
    let (device, limits) = (&machine.device, machine.device.limits());
    let range = Reducer::new(device, Op::MinMax.over(Element::F32)?.of_texels(map.clone())?)?;
    let bins = Histogram::new(Keys::Ranges { low: 0.0, high: 1.0 }, BINS as u32, &limits);
    let bins = bins.with_map(map, &limits).on(device)?;
    let plan = range.of_texels(&pictures[0]).plan()?;
    // Zeros for what is left out.
    let mut words = [0u32; BINS + 2];
    if histogram {
        // The brightest float lies outside of the bins.
        let counted = if is_bytes { levels } else { &levels[..levels.len() - 1] };
        counted.iter().for_each(|level| words[usize::from(*level)] += 1);
    }
    if extent {
        words[BINS + 1] = if is_bytes { 1.0 } else { 0.7152 * GREEN }.to_bits();
    }
    let operation = Operation::new(
        &[COUNTS + 8],
        move |buffers| {
            let (picture, output) = (&pictures[buffers.number % PICTURES], &buffers.outputs[0]);
            let workspace = buffers.workspace.expect("there is a plan");
            let found = range.of_texels(picture).workspace(workspace).into(Slice::at(output, COUNTS))?;
            let counted = bins.of_texels(picture).into(Slice::new(output, 0, COUNTS))?;
            Ok(Box::new(move |pass| {
                if extent {
                    found.encode_in_pass(pass);
                }
                if histogram {
                    counted.encode_in_pass(pass);
                }
            }))
        },
        move |_, _| vec![Expected::words(&words)],
    );
    Ok(Operation { plan: Some(plan), ..operation })
}

/// Every call waits for the one before. It also reads the last level, of one texel, back to the number that is verified: one small
/// dispatch more.
fn pyramid<'a>(machine: &Machine, size: [u32; 2]) -> Made<Operation<'a>> {
    let depth = |_, word| ((word & 0xffff) as f32).to_le_bytes();
    let depths = generate(u64::from(size[0] * size[1]), 0, depth);
    let format = TextureFormat::R32Float;
    let sources = pictures(machine, format, size, &depths);
    let levels = size[0].max(size[1]).ilog2();
    let target = texture(machine, format, size.map(|side| side / 2), levels, TextureUsages::STORAGE_BINDING);
    let pyramid = Pyramid::new(&machine.device, Op::Max, red()?)?;
    let top = Reducer::new(&machine.device, Op::Max.over(Element::F32)?.of_texels(red()?)?)?;
    let plan = top.of_texels(Texels::new(&target).level(levels - 1)).plan()?;
    let greatest = bytemuck::pod_collect_to_vec::<u8, f32>(&depths).into_iter().fold(0.0, f32::max);
    let operation = Operation::new(
        &[WORD],
        move |buffers| {
            let made = pyramid.prepare(&sources[buffers.number % PICTURES], &target)?;
            let last = top.of_texels(Texels::new(&target).level(levels - 1));
            let workspace = buffers.workspace.expect("there is a plan");
            let found = last.workspace(workspace).into(&buffers.outputs[0])?;
            Ok(Box::new(move |pass| {
                made.encode_in_pass(pass);
                found.encode_in_pass(pass);
            }))
        },
        move |_, _| vec![Expected::words(&[greatest])],
    );
    Ok(Operation { plan: Some(plan), ..operation })
}

/// A texture without contents.
fn texture(
    machine: &Machine,
    format: TextureFormat,
    [width, height]: [u32; 2],
    levels: u32,
    usage: TextureUsages,
) -> Texture {
    machine.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("halofold picture"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: usage | TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    })
}

/// Equal textures of one level, each with these contents.
fn pictures(machine: &Machine, format: TextureFormat, size: [u32; 2], bytes: &[u8]) -> Vec<Texture> {
    let picture = |_| {
        let texture = texture(machine, format, size, 1, TextureUsages::COPY_DST);
        let row = Some(bytes.len() as u32 / size[1]);
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: row, rows_per_image: None };
        machine.queue.write_texture(texture.as_image_copy(), bytes, layout, texture.size());
        texture
    };
    (0..PICTURES).map(picture).collect()
}

/// Grey texels of floats, each in the middle of a bin, as the luminance may be rounded; the first is black, and the last one bright.
fn floats(levels: &[u8]) -> Vec<u8> {
    let texel = |(at, level): (usize, &u8)| match at {
        0 => [0.0; 4],
        _ if at + 1 == levels.len() => [0.0, GREEN, 0.0, 1.0],
        _ => [(f32::from(*level) + 0.5) / BINS as f32; 4],
    };
    let numbers = levels.iter().enumerate().flat_map(texel);
    numbers.flat_map(|number| f16::from_f32(number).to_le_bytes()).collect()
}
