//! The sum of a buffer on the GPU: `cargo run --release --example sum`. A crate of its own needs halofold with the feature
//! `wgpu-default`, pollster and bytemuck.

use halofold::reduce::{Op, Reduce};
use halofold::wgpu::util::DeviceExt as _;
use halofold::{Compiled, Element, Options, wgpu};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))?;
    let buffer = |contents: &[u8]| {
        let usage = wgpu::BufferUsages::STORAGE;
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
    };
    let (elements, result) = (buffer(bytemuck::cast_slice(&vec![0.25f32; 1_000_000])), buffer(&[0; 4]));

    let sum = Compiled::new(&device, Reduce::new(Op::Sum.over(Element::F32)?), &Options::default())?;
    let total: f32 = sum.of(&elements).run(&queue)?; // submits, waits, returns the value
    println!("{total}");

    let bound = sum.of(&elements).bind(&result)?; // or: bind once,
    let mut encoder = device.create_command_encoder(&Default::default());
    bound.encode(&mut encoder); // record every frame; nothing is allocated
    queue.submit([encoder.finish()]);
    Ok(())
}
