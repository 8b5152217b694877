//! The embeddable reducer against the CPU.

mod common;

use halofold::read::Readback;
use halofold::reduce::{Input, Output};
use halofold::reducer::{Arity, Form, Monoid, Op, Options, Reducer, Shape, Source, Workspace};
use halofold::{Element, wgpu};
use wgpu::util::DeviceExt as _;

fn open() -> (wgpu::Device, wgpu::Queue) {
    let adapter = pollster::block_on(halofold::adapter::preferred(true)).expect("an adapter");
    pollster::block_on(halofold::adapter::open(&adapter)).expect("a device")
}

fn run(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    reducer: &Reducer,
    shape: Shape,
    data: &[u32],
    offset: usize,
) -> Vec<u8> {
    let buffer = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: None,
        contents: bytemuck::cast_slice(data),
        usage: wgpu::BufferUsages::STORAGE,
    });
    let input = [Input { buffer: &buffer, offset: 4 * offset as u64, len: (data.len() - offset) as u64 }];
    let extents = [halofold::reducer::Extent { offset: input[0].offset, len: input[0].len }];
    let plan = reducer.plan(shape, &extents, None).unwrap();
    let workspace = Workspace::new(device, &plan);
    let result = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: plan.output.max(4),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let prepared = reducer
        .prepare(device, Source::of(&input), shape, Output { buffer: &result, offset: 0 }, &workspace)
        .unwrap();
    let mut encoder = device.create_command_encoder(&Default::default());
    prepared.encode(&mut encoder);
    let readback = Readback::new(device, plan.output);
    readback.encode(&mut encoder, &result, 0, plan.output).unwrap();
    queue.submit([encoder.finish()]);
    readback.wait(device, plan.output).unwrap()
}

#[test]
fn sums_of_segments() {
    let (device, queue) = open();
    for subgroups in [true, false] {
        let mut options = Options::default();
        options.subgroups = subgroups;
        let whole = Reducer::with_options(&device, Op::Sum.over(Element::U32).unwrap(), Form::Whole, options)
            .unwrap();
        let many =
            Reducer::with_options(&device, Op::Sum.over(Element::U32).unwrap(), Form::Segments, options)
                .unwrap();
        for (len, count) in [
            (1, 1),
            (1, 1000),
            (3, 777),
            (16, 64),
            (17, 65),
            (33, 100),
            (256, 300),
            (257, 31),
            (5000, 7),
            (100_003, 3),
            (1 << 20, 1),
        ] {
            for offset in [0, 1, 7] {
                let data: Vec<u32> =
                    (0..(len * count + offset) as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
                let bytes = run(&device, &queue, &many, Shape::Segments { len: len as u64 }, &data, offset);
                let got: &[u32] = bytemuck::cast_slice(&bytes);
                let want: Vec<u32> = data[offset..]
                    .chunks(len)
                    .map(|s| s.iter().fold(0u32, |a, b| a.wrapping_add(*b)))
                    .collect();
                assert_eq!(got, want, "{len} x {count} + {offset}");
                let bytes = run(&device, &queue, &whole, Shape::Whole, &data, offset);
                let got: &[u32] = bytemuck::cast_slice(&bytes);
                assert_eq!(got[0], want.iter().fold(0u32, |a, b| a.wrapping_add(*b)));
            }
        }
    }
}

#[test]
fn custom_operators() {
    let (device, queue) = open();
    let text = "
struct Acc { key: u32, index: u32, seen: vec3<i32> }
fn map(elem: Elem, index: u32) -> Acc { return Acc(elem, index, vec3<i32>(i32(elem & 15u), 1, -1)); }
fn identity() -> Acc { return Acc(0u, 0xffffffffu, vec3<i32>()); }
fn better(a: Acc, b: Acc) -> bool { return a.key > b.key || (a.key == b.key && a.index < b.index); }
fn combine(a: Acc, b: Acc) -> Acc { var c = b; if better(a, b) { c = a; } c.seen = a.seen + b.seen; return c; }
fn finish(acc: Acc, n: u32) -> vec4<u32> { return vec4<u32>(acc.index, u32(acc.seen.y), u32(-acc.seen.z), n); }
";
    let monoid = Monoid::custom("last-max", Element::U32, Arity::One, text).unwrap();
    for form in [Form::Whole, Form::Segments] {
        let reducer = Reducer::new(&device, monoid.clone(), form).unwrap();
        let data: Vec<u32> = (0..200_000u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
        let shape = if form == Form::Whole { Shape::Whole } else { Shape::Segments { len: 100_000 } };
        let bytes = run(&device, &queue, &reducer, shape, &data, 0);
        let got: &[[u32; 4]] = bytemuck::cast_slice(&bytes);
        let len = data.len() / got.len();
        for (got, part) in got.iter().zip(data.chunks(len)) {
            let best = part.iter().enumerate().max_by_key(|(_, x)| **x).unwrap().0;
            assert_eq!(*got, [best as u32, len as u32, len as u32, len as u32]);
        }
    }
    let wrong = text.replace("-> vec4<u32> {", "-> vec4<u32> { let x: i32 = 1.5;");
    let error = Monoid::custom("wrong", Element::U32, Arity::One, &wrong).unwrap_err().to_string();
    assert!(error.contains("line 7"), "{error}");
    println!("{error}");
}
