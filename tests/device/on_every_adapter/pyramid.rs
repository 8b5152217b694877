//! Pyramids of minima and maxima: every level, compared with the rectangles of the source that its texels cover.

use std::ops::Range;

use halofold::pyramid::Pyramid;
use halofold::reduce::Op;
use halofold::wgpu::{self, Texture, TextureFormat, TextureSampleType, TextureUsages};
use halofold::{Compiled, Error, Map, Texels, TextureError};

use super::textures::{self, BOUND, FLOAT, clear_depth, component, is_gl, rows, write};
use crate::common::{self, Gpu, Random, compile, gpu, in_turn, limited};
use crate::refusals;

/// One texel, sides of one texel, around tiles of 64, twice a tile and the powers of two, primes, and even sides beyond a tile.
#[rustfmt::skip]
const SIZES: [[u32; 2]; 17] = [
    [1, 1], [1, 7], [300, 1], [2, 3], [31, 33], [64, 64], [63, 65], [127, 128],
    [129, 127], [191, 192], [193, 131], [256, 255], [509, 211], [1023, 130], [65, 1025], [512, 512], [124, 188],
];

/// Usages of a texture that kernels read and write.
pub const STORED: TextureUsages = BOUND.union(TextureUsages::COPY_SRC).union(TextureUsages::STORAGE_BINDING);

/// A texture of all levels.
pub fn texture(
    gpu: &Gpu,
    size: [u32; 2],
    layers: u32,
    format: TextureFormat,
    usage: TextureUsages,
) -> Texture {
    textures::texture(gpu, format, size, [size[0].max(size[1]).ilog2() + 1, layers], usage)
}

/// A texture for the levels of a source of this size, with poison in all levels.
fn target(gpu: &Gpu, size: [u32; 2], format: TextureFormat) -> Texture {
    let texture = texture(gpu, size.map(|side| (side / 2).max(1)), 1, format, STORED);
    for level in 0..texture.mip_level_count() {
        let (row, size) = rows(&texture, level);
        write(gpu, &texture, level, 0, &common::poison((row * size.height) as usize));
    }
    texture
}

/// Reads a level.
fn read(gpu: &Gpu, texture: &Texture, level: u32) -> Vec<u32> {
    let (row, size) = rows(texture, level);
    let apart = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = common::room(gpu, u64::from(apart * size.height));
    let from = wgpu::TexelCopyTextureInfo { mip_level: level, ..texture.as_image_copy() };
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(apart), rows_per_image: None };
    let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    gpu.submit(|encoder| encoder.copy_texture_to_buffer(from, to, size));
    let bytes = common::read(gpu, &buffer);
    let rows = bytes.chunks_exact(apart as usize).take(size.height as usize);
    rows.flat_map(|bytes| bytemuck::pod_collect_to_vec::<_, u32>(&bytes[..row as usize])).collect()
}

/// A pyramid on a device.
pub fn compiled(gpu: &Gpu, op: Op, map: Map) -> Result<Compiled<Pyramid>, Error> {
    compile(&gpu.device, Pyramid::new(op, map))
}

/// A pyramid of the first component. OpenGL has none of pairs, since shaders cannot write their format.
pub fn pyramid(gpu: &Gpu, op: Op) -> Option<Compiled<Pyramid>> {
    let made = compiled(gpu, op, component(FLOAT, "r"));
    if is_gl(gpu) && op == Op::MinMax {
        refusals::check([(made.unwrap_err(), "Setting(operator,", "OpenGL stores no pairs of floats")]);
        eprintln!("not run: minima and maxima together, on OpenGL");
        return None;
    }
    Some(made.unwrap())
}

/// Floats of every kind; a NaN now and then only where there are few texels, because it fills the texels above.
fn floats([width, height]: [u32; 2]) -> Vec<f32> {
    let mut random = Random::new(u64::from(width * 31 + height));
    let float = |word: u64| match f32::from_bits(word as u32) {
        float if float.is_nan() && !(word >> 32).is_multiple_of(64) => -0.0,
        float => float,
    };
    (0..width * height).map(|_| float(random.next())).collect()
}

/// The minimum or the maximum of some floats, by the rule of reductions.
fn bound(floats: impl Iterator<Item = f32> + Clone, op: Op) -> u32 {
    if floats.clone().any(f32::is_nan) {
        return 0x7fc0_0000;
    }
    let found = if op == Op::Min { floats.min_by(f32::total_cmp) } else { floats.max_by(f32::total_cmp) };
    found.unwrap().to_bits()
}

/// The columns, or the rows, of the source that the texels of a level cover.
fn covered(side: u32, level: u32) -> impl Iterator<Item = Range<u32>> + Clone {
    let texels = (side >> level).max(1);
    (0..texels).map(move |i| i << level..if i + 1 == texels { side } else { (i + 1) << level })
}

/// The words of a level, the source being level 0.
fn expected(floats: &[f32], [width, height]: [u32; 2], level: u32, op: Op) -> Vec<u32> {
    let ops: &[Op] = if op == Op::MinMax { &[Op::Min, Op::Max] } else { &[op] };
    let texel = |rows: Range<u32>, columns: Range<u32>| {
        let texels = rows.flat_map(move |y| columns.clone().map(move |x| floats[(y * width + x) as usize]));
        ops.iter().map(move |op| bound(texels.clone(), *op))
    };
    let row = |rows: Range<u32>| covered(width, level).flat_map(move |columns| texel(rows.clone(), columns));
    covered(height, level).flat_map(row).collect()
}

/// Makes a pyramid twice, and compares all levels of the target from one on. Returns the number of dispatches.
#[track_caller]
fn check(
    gpu: &Gpu,
    (pyramid, op): (&Compiled<Pyramid>, Op),
    (source, floats): (Texels<'_>, &[f32]),
    (target, first): (&Texture, u32),
) -> usize {
    let (size, levels) = (source.size(), Texels::new(target).level(first));
    gpu.clean(|| {
        let prepared = match pyramid.bind(source, levels) {
            Err(error @ Error::Texture(TextureError::OpenGlLevels)) if is_gl(gpu) => {
                eprintln!("not run: {error}");
                return 0;
            }
            prepared => prepared.unwrap(),
        };
        for _ in 0..2 {
            gpu.submit(|encoder| prepared.encode(encoder));
            for level in first..target.mip_level_count() {
                let expected = expected(floats, size, level - first + 1, op);
                assert!(read(gpu, target, level) == expected, "{op} of {size:?}, level {level}");
            }
        }
        prepared.dispatches()
    })
}

/// Makes pyramids of sources of some sizes.
fn check_sizes(gpu: &Gpu, op: Op, sizes: impl Iterator<Item = [u32; 2]>) {
    let Some(pyramid) = pyramid(gpu, op) else { return };
    let format = if op == Op::MinMax { TextureFormat::Rg32Float } else { TextureFormat::R32Float };
    let most = gpu.device.limits().max_storage_textures_per_shader_stage.min(6);
    for size in sizes {
        let (source, floats) = (texture(gpu, size, 1, TextureFormat::R32Float, STORED), floats(size));
        write(gpu, &source, 0, 0, bytemuck::cast_slice(&floats));
        let target = target(gpu, size, format);
        let made = check(gpu, (&pyramid, op), (Texels::new(&source), &floats), (&target, 0));
        let dispatches = target.mip_level_count().div_ceil(most) as usize;
        assert!(made == dispatches || dispatches > 1 && is_gl(gpu), "{size:?}: {made} dispatches");
    }
}

#[test]
fn every_size() {
    check_sizes(gpu(), Op::MinMax, SIZES.into_iter());
    check_sizes(gpu(), Op::Min, in_turn(SIZES, 2, 0));
    check_sizes(gpu(), Op::Max, in_turn(SIZES, 2, 1));
    // WebGPU promises four textures that a shader may write; fewer make more dispatches.
    for (turn, most) in [4, 3, 1].into_iter().enumerate() {
        if gpu().device.limits().max_storage_textures_per_shader_stage >= most {
            let few = limited(|limits| limits.max_storage_textures_per_shader_stage = most);
            check_sizes(&few, Op::MinMax, in_turn(SIZES, 3, turn));
        }
    }
}

/// The levels of a texture over its own level 0; a rectangle of a level of a layer; a map of integers.
#[test]
fn sources_of_every_kind() {
    let gpu = gpu();
    let Some(pyramid) = pyramid(gpu, Op::Max) else { return };
    let (size, part @ [width, height], float) = ([203, 77], [90, 33], TextureFormat::R32Float);
    let (own, floats) = (texture(gpu, size, 1, float, STORED), floats(size));
    write(gpu, &own, 0, 0, bytemuck::cast_slice(&floats));
    check(gpu, (&pyramid, Op::Max), (Texels::new(&own), &floats), (&own, 1));

    // OpenGL has no views of one layer.
    let layer = if is_gl(gpu) { 0 } else { 2 };
    let layers = texture(gpu, size.map(|side| 2 * side), layer + 1, float, STORED);
    write(gpu, &layers, 1, layer, bytemuck::cast_slice(&floats));
    let inside = Texels::new(&layers).level(1).layer(layer).rectangle([101, 44], part);
    let rows = (44..44 + height).map(|y| &floats[(y * size[0] + 101) as usize..][..width as usize]);
    let rows = rows.collect::<Vec<_>>().concat();
    check(gpu, (&pyramid, Op::Max), (inside, &rows), (&target(gpu, part, float), 0));

    let map = "fn map_texel(texel: vec4<u32>, at: vec2<u32>) -> vec3<f32> {
        return vec3<f32>(f32(texel.r % 1000u + at.x));
    }";
    let map = Map::texels(TextureSampleType::Uint, map).unwrap();
    let pyramid = compiled(gpu, Op::Min, map).unwrap();
    let numbers = texture(gpu, part, 1, TextureFormat::R32Uint, STORED);
    let words: Vec<u32> = (0..width * height).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    write(gpu, &numbers, 0, 0, bytemuck::cast_slice(&words));
    let mapped: Vec<_> = (0..).zip(&words).map(|(i, word)| (word % 1000 + i % width) as f32).collect();
    check(gpu, (&pyramid, Op::Min), (Texels::new(&numbers), &mapped), (&target(gpu, part, float), 0));
}

/// Near and far surfaces, and one that fills the picture.
#[test]
fn depth() {
    let (gpu, size) = (gpu(), [317, 150]);
    for op in [Op::Min, Op::Max] {
        let pyramid = compiled(gpu, op, component(TextureSampleType::Depth, "r")).unwrap();
        let target = target(gpu, size, TextureFormat::R32Float);
        let usage = TextureUsages::TEXTURE_BINDING | TextureUsages::RENDER_ATTACHMENT;
        if !is_gl(gpu) {
            // The ends of the range are exact. On OpenGL, nothing is copied to depth.
            let bits = texture(gpu, size, 1, TextureFormat::Depth16Unorm, usage | TextureUsages::COPY_DST);
            let mut random = Random::new(9);
            let is_far: Vec<bool> = (0..317 * 150).map(|i| random.next() % 400 * 150 < i / 317).collect();
            let words: Vec<u16> = is_far.iter().map(|far| u16::MAX * u16::from(*far)).collect();
            write(gpu, &bits, 0, 0, bytemuck::cast_slice(&words));
            let depths: Vec<f32> = is_far.iter().map(|far| f32::from(u8::from(*far))).collect();
            check(gpu, (&pyramid, op), (Texels::new(&bits), &depths), (&target, 0));
        }
        let floats = texture(gpu, size, 1, TextureFormat::Depth32Float, usage);
        clear_depth(gpu, &floats, 0.3, None);
        check(gpu, (&pyramid, op), (Texels::new(&floats), &[0.3; 317 * 150]), (&target, 0));
    }
}
