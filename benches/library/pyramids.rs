//! The maxima of 3840 × 2160 texels, as of depth, at half the size, a quarter, and so on: every call waits for the one before.
//!
//! A call also reads the last level, of one texel, back to the number that is verified: one small dispatch more.

use criterion::Criterion;
use halofold::pyramid::Pyramid;
use halofold::reduce::{Op, Reducer, Workspace};
use halofold::{Element, Map, Texels, wgpu};
use halofold_measure::{LibraryWork, MeasureError, Row, TestData};
use wgpu::{TextureFormat, TextureSampleType, TextureUsages};

use crate::calls::{Call, Calls, Sweep, Way};
use crate::common::{Extent, Group, Machine};
use crate::expected::Expected;
use crate::textures::{PICTURES, pictures, texture};

pub fn bench(criterion: &mut Criterion, machine: &Machine, sweep: &Sweep) -> Option<Row<LibraryWork>> {
    let size = if machine.extent() == Extent::Software { [192, 108] } else { [3840, 2160] };
    let texels = u64::from(size[0] * size[1]);
    let title = machine.title(&format!("library/pyramid-max/texture/r32float/{}x{}", size[0], size[1]));
    let mut group = Group::new(criterion, &title);
    let work = ["pyramid-max", "texture", "r32float"];
    let row = Row::<LibraryWork>::blank(Way::CHAINED.name, work, texels, None, &machine.info);
    super::measure(&mut group, machine, row, 4 * texels, || calls(machine, sweep, size))
}

fn calls<'s>(machine: &Machine, sweep: &'s Sweep, size: [u32; 2]) -> Result<Calls<'s>, MeasureError> {
    let device = &machine.device;
    let data = TestData::new(Op::Sum, Element::U32, 1 << 20);
    let depths: Vec<f32> =
        (0..(size[0] * size[1]) as usize).map(|at| (data.word(at % (1 << 20)) & 0xffff) as f32).collect();
    let format = TextureFormat::R32Float;
    let sources = pictures(machine, format, size, bytemuck::cast_slice(&depths));
    let levels = size[0].max(size[1]).ilog2();
    let target = texture(machine, format, size.map(|side| side / 2), levels, TextureUsages::STORAGE_BINDING);
    let red = Map::components(TextureSampleType::Float { filterable: false }, "r")
        .unwrap_or_else(|error| panic!("{error}"));
    let refused = |error: halofold::OperationError| MeasureError::Device(error.to_string());
    let pyramid = Pyramid::new(device, Op::Max, red.clone()).map_err(refused)?;
    let top = Op::Max.over(Element::F32).and_then(|max| max.of_texels(red));
    let top = Reducer::new(device, top.unwrap_or_else(|error| panic!("{error}")))?;
    let last = Texels::new(&target).level(levels - 1);
    let plan = top.of_texels(last).plan()?;
    let call = |number, output: &wgpu::Buffer, workspace: &mut Option<Workspace>| {
        let made = pyramid.prepare(&sources[(number % PICTURES) as usize], &target).map_err(refused)?;
        let workspace = workspace.get_or_insert_with(|| Workspace::new(device, &plan));
        let found = top.of_texels(last).workspace(workspace).into(output)?;
        Ok(Box::new(move |pass: &mut wgpu::ComputePass<'_>| {
            made.encode_in_pass(pass);
            found.encode_in_pass(pass);
        }) as Call)
    };
    let greatest = depths.iter().copied().fold(0.0, f32::max);
    let expected = |_, _| Expected::Bytes(greatest.to_le_bytes().to_vec());
    Calls::new(device, sweep, Way::CHAINED, [4 * u64::from(size[0] * size[1]), 4], call, expected)
}
