//! Pictures of 3840 × 2160 texels: the extent of their luminance, its histogram, and both, one after the other.

use criterion::Criterion;
use half::f16;
use halofold::histogram::{Histogram, Keys};
use halofold::reduce::{Op, Reducer, Workspace};
use halofold::{Element, Map, Slice, wgpu};
use halofold_measure::{LibraryWork, MeasureError, Row, TestData};
use wgpu::{TextureFormat, TextureSampleType, TextureUsages};

use crate::calls::{Call, Calls, Sweep, Way};
use crate::common::{Extent, Group, Machine};
use crate::expected::Expected;

/// More than any cache holds.
pub const PICTURES: u64 = 8;

/// Bins of a histogram.
const BINS: u32 = 256;

/// Bytes of the counts, behind which the extent lies.
const COUNTS: u64 = 4 * BINS as u64;

/// Green of the brightest texel of floats. Its luminance is one product, exact but for the factor's own rounding.
const GREEN: f32 = 4.0;

/// The operations on a picture.
#[derive(Clone, Copy, PartialEq)]
enum Task {
    Extent,
    Histogram,
    Both,
}

/// All of them.
pub fn bench(criterion: &mut Criterion, machine: &Machine, sweep: &Sweep) -> Vec<Row<LibraryWork>> {
    let size = if machine.extent() == Extent::Software { [192, 108] } else { [3840, 2160] };
    let mut rows = Vec::new();
    for format in [TextureFormat::Rgba16Float, TextureFormat::R8Unorm] {
        let pictures = Pictures::new(machine, format, size);
        let kind = format!("{format:?}").to_lowercase();
        for (task, name) in [
            (Task::Extent, "extent"),
            (Task::Histogram, "histogram-256"),
            (Task::Both, "extent-and-histogram-256"),
        ] {
            let title = machine.title(&format!("library/{name}/texture/{kind}/{}x{}", size[0], size[1]));
            let mut group = Group::new(criterion, &title);
            rows.extend([Way::INDEPENDENT, Way::CHAINED].into_iter().filter_map(|way| {
                let (work, texels) = ([name, "texture", &kind], pictures.levels.len() as u64);
                let row = Row::<LibraryWork>::blank(way.name, work, texels, None, &machine.info);
                let make = || pictures.calls(&machine.device, sweep, way, task);
                super::measure(&mut group, machine, row, pictures.bytes(), make)
            }));
        }
    }
    rows
}

/// Equal pictures.
struct Pictures {
    textures: Vec<wgpu::Texture>,
    /// The luminance of each texel, in parts of the brightest.
    levels: Vec<u8>,
}

impl Pictures {
    fn new(machine: &Machine, format: TextureFormat, [width, height]: [u32; 2]) -> Self {
        let data = TestData::new(Op::Sum, Element::U32, 1 << 20);
        let mut levels: Vec<u8> =
            (0..(width * height) as usize).map(|at| data.word(at % (1 << 20)) as u8).collect();
        let last = levels.len() - 1;
        (levels[0], levels[last]) = (0, 255);
        let bytes = if format == TextureFormat::R8Unorm { levels.clone() } else { floats(&levels) };
        Pictures { textures: pictures(machine, format, [width, height], &bytes), levels }
    }

    fn format(&self) -> TextureFormat {
        self.textures[0].format()
    }

    /// Bytes of one.
    fn bytes(&self) -> u64 {
        let texel = self.format().block_copy_size(None).expect("a texel is whole bytes");
        self.levels.len() as u64 * u64::from(texel)
    }

    fn map(&self) -> Map {
        if self.format() == TextureFormat::R8Unorm {
            return Map::components(TextureSampleType::Float { filterable: false }, "r")
                .expect("red is there");
        }
        Map::luminance()
    }

    /// The calls in one way.
    fn calls<'s>(
        &self,
        device: &wgpu::Device,
        sweep: &'s Sweep,
        way: Way,
        task: Task,
    ) -> Result<Calls<'s>, MeasureError> {
        let extent = Op::MinMax.over(Element::F32).and_then(|extent| extent.of_texels(self.map()));
        let extent = Reducer::new(device, extent.unwrap_or_else(|error| panic!("{error}")))?;
        let config = Histogram::new(Keys::Ranges { low: 0.0, high: 1.0 }, BINS, &device.limits())
            .with_map(self.map(), &device.limits());
        let histogram = config.on(device);
        let histogram = histogram.unwrap_or_else(|error| panic!("{error}"));
        let plan = extent.of_texels(&self.textures[0]).plan()?;
        let call = |number, output: &wgpu::Buffer, workspace: &mut Option<Workspace>| {
            let texture = &self.textures[(number % PICTURES) as usize];
            let workspace = workspace.get_or_insert_with(|| Workspace::new(device, &plan));
            let found = extent.of_texels(texture).workspace(workspace).into(Slice::at(output, COUNTS))?;
            let counted = histogram.of_texels(texture).into(Slice::new(output, 0, COUNTS));
            let counted = counted.unwrap_or_else(|error| panic!("{error}"));
            Ok(Box::new(move |pass: &mut wgpu::ComputePass<'_>| {
                if task != Task::Histogram {
                    found.encode_in_pass(pass);
                }
                if task != Task::Extent {
                    counted.encode_in_pass(pass);
                }
            }) as Call)
        };
        Calls::new(device, sweep, way, [self.bytes(), COUNTS + 8], call, |_, _| self.expected(task))
    }

    /// The counts and the extent; zeros for those that the task leaves out.
    fn expected(&self, task: Task) -> Expected {
        let is_bytes = self.format() == TextureFormat::R8Unorm;
        let mut counts = [0u32; BINS as usize];
        // The brightest float lies outside of the bins.
        let counted = if is_bytes { &self.levels[..] } else { &self.levels[..self.levels.len() - 1] };
        counted.iter().for_each(|level| counts[usize::from(*level)] += 1);
        let greatest = if is_bytes { 1.0 } else { 0.7152 * GREEN };
        let counts = if task == Task::Extent { [0; BINS as usize] } else { counts };
        let extent = if task == Task::Histogram { [0.0; 2] } else { [0.0, greatest] };
        Expected::Bytes([bytemuck::cast_slice(&counts), bytemuck::cast_slice(&extent)].concat())
    }
}

/// A texture without contents.
pub fn texture(
    machine: &Machine,
    format: TextureFormat,
    [width, height]: [u32; 2],
    levels: u32,
    usage: TextureUsages,
) -> wgpu::Texture {
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
pub fn pictures(
    machine: &Machine,
    format: TextureFormat,
    size: [u32; 2],
    bytes: &[u8],
) -> Vec<wgpu::Texture> {
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
