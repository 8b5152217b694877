//! The mean colour of each labelled region of a picture, and the picture painted with these.
//!
//! `cargo run --release --example mean_color_by_label`
//!
//! A segmentation gives every pixel a label: a cell under a microscope, a field on a satellite image, a superpixel. The next step asks for
//! numbers of each region. Here a region's mean colour is one result a label of each of three channels, and the application's own
//! shader paints with them; no number leaves the GPU in between:
//!
//! ```text
//! means of red, green and blue by label (halofold) → paint (application)
//! ```
//!
//! Pixels on a border between two regions have a label that no region has. They are left out, and counted.

use halofold::group::{GroupById, Outputs, Pairs};
use halofold::read::Readback;
use halofold::{Compiled, Element, Options, wgpu};
use wgpu::util::DeviceExt as _;

type Error = Box<dyn std::error::Error>;

/// The size of the picture, in pixels.
pub const SIZE: [u32; 2] = [320, 180];
const PIXELS: u64 = SIZE[0] as u64 * SIZE[1] as u64;

/// The width of a cell with one region, in pixels, and the number of regions.
const CELL: u32 = 20;
pub const REGIONS: u32 = SIZE[0] / CELL * (SIZE[1] / CELL);

/// The label of a pixel on a border.
pub const BORDER: u32 = u32::MAX;

/// Paints each pixel with the mean colour of its region, borders black.
const PAINT: &str = "
@group(0) @binding(0) var<storage> labels: array<u32>;
@group(0) @binding(1) var<storage> red: array<f32>;
@group(0) @binding(2) var<storage> green: array<f32>;
@group(0) @binding(3) var<storage> blue: array<f32>;
@group(0) @binding(4) var<storage, read_write> painted: array<u32>;

@compute @workgroup_size(64)
fn paint(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&labels) { return; }
    let label = labels[id.x];
    if label >= arrayLength(&red) { painted[id.x] = pack4x8unorm(vec4<f32>(0.0, 0.0, 0.0, 1.0)); return; }
    painted[id.x] = pack4x8unorm(vec4<f32>(red[label], green[label], blue[label], 1.0));
}
";

/// A picture with the label of each pixel, row by row.
pub struct Picture {
    /// Red, green and blue, from 0 to 1.
    pub channels: [Vec<f32>; 3],
    /// The region of each pixel, or [`BORDER`].
    pub labels: Vec<u32>,
}

/// Results, read from the GPU.
pub struct Regions {
    /// The mean of each region, of red, green and blue.
    pub means: [Vec<f32>; 3],
    /// The number of pixels that have no region.
    pub borders: u32,
    /// The painted picture: four bytes a pixel.
    pub painted: Vec<u8>,
}

fn main() -> Result<(), Error> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))?;
    let Regions { means: [red, green, blue], borders, .. } = run(&device, &queue, &picture())?;
    println!("region    red  green   blue");
    for region in (0..REGIONS as usize).step_by(25) {
        println!("{region:6}  {:5.3}  {:5.3}  {:5.3}", red[region], green[region], blue[region]);
    }
    println!("{borders} of {PIXELS} pixels on borders");
    Ok(())
}

/// A random word.
fn random(seed: u32) -> u32 {
    let mixed = (seed ^ (seed >> 16)).wrapping_mul(0x7feb_352d);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x846c_a68b);
    mixed ^ (mixed >> 16)
}

/// Draws a noisy picture: around a random point in each cell lies the region of all pixels that are nearest to it.
pub fn picture() -> Picture {
    let [width, height] = SIZE.map(|size| size / CELL);
    let point = |region: u32| {
        let inside = |word: u32| (word % CELL) as i32;
        let corner = [region % width * CELL, region / width * CELL].map(|at| at as i32);
        [corner[0] + inside(random(2 * region)), corner[1] + inside(random(2 * region + 1))]
    };
    let label = |pixel: u32| {
        let [x, y] = [pixel % SIZE[0], pixel / SIZE[0]];
        let near = |cell: u32, end: u32| cell.saturating_sub(2)..end.min(cell + 3);
        let regions = near(y / CELL, height)
            .flat_map(|row| near(x / CELL, width).map(move |column| row * width + column));
        let mut distances: Vec<_> = regions
            .map(|region| {
                let [px, py] = point(region);
                (f64::from((px - x as i32).pow(2) + (py - y as i32).pow(2)).sqrt(), region)
            })
            .collect();
        distances.sort_by(|a, b| a.0.total_cmp(&b.0));
        if distances[1].0 - distances[0].0 < 1.0 { BORDER } else { distances[0].1 }
    };
    let labels: Vec<u32> = (0..PIXELS as u32).map(label).collect();
    let channels = [0, 1, 2].map(|channel| {
        let level = |(label, pixel): (&u32, u32)| {
            let noise = random(3 * pixel + channel) % 96;
            (random(!label.wrapping_add(channel).wrapping_mul(3)) % 160 + noise) as f32 / 255.0
        };
        labels.iter().zip(0..).map(level).collect()
    });
    Picture { channels, labels }
}

/// Runs it on a device.
pub fn run(device: &wgpu::Device, queue: &wgpu::Queue, picture: &Picture) -> Result<Regions, Error> {
    let input = |contents: &[u8]| {
        let usage = wgpu::BufferUsages::STORAGE;
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: Some("input"), contents, usage })
    };
    let labels = input(bytemuck::cast_slice(&picture.labels));
    let channels = picture.channels.each_ref().map(|channel| input(bytemuck::cast_slice(channel)));
    let output = |size| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("output"),
            size,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        })
    };
    let means = [0; 3].map(|_| output(4 * u64::from(REGIONS)));
    let (borders, painted) = (output(4), output(4 * PIXELS));

    // Once: kernels are compiled, and buffers are bound.
    let mean = Compiled::new(device, GroupById::new(Element::F32, REGIONS).mean(), &Options::default())?;
    let mut find_means = Vec::new();
    for (channel, means) in channels.iter().zip(&means) {
        let pairs = Pairs { keys: &labels, values: channel };
        find_means.push(mean.of(pairs).bind(Outputs::new().mean(means).rejected(&borders))?);
    }
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("paint"),
        source: wgpu::ShaderSource::Wgsl(PAINT.into()),
    });
    let paint = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("paint"),
        layout: None,
        module: &module,
        entry_point: Some("paint"),
        compilation_options: Default::default(),
        cache: None,
    });
    let bound = [&labels, &means[0], &means[1], &means[2], &painted];
    let entries = (0..)
        .zip(bound)
        .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() });
    let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("paint"),
        layout: &paint.get_bind_group_layout(0),
        entries: &entries.collect::<Vec<_>>(),
    });

    // Every picture: all of it in one pass.
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        find_means.iter().for_each(|means| means.encode_in_pass(&mut pass));
        pass.set_pipeline(&paint);
        pass.set_bind_group(0, &bindings, &[]);
        pass.dispatch_workgroups((PIXELS as u32).div_ceil(64), 1, 1);
    }
    // For the report only: an application shows the picture and reads nothing.
    let outputs = means.iter().chain([&borders, &painted]);
    let readbacks: Vec<_> = outputs.map(|output| (output, Readback::new(device, output.size()))).collect();
    for (output, readback) in &readbacks {
        readback.encode(&mut encoder, output, 0, output.size())?;
    }
    queue.submit([encoder.finish()]);
    let mut read = readbacks.iter().map(|(output, readback)| readback.wait(output.size()));
    let mut next = || read.next().expect("there are five outputs");
    let mut mean = || -> Result<Vec<f32>, Error> { Ok(bytemuck::pod_collect_to_vec(&next()?)) };
    let means = [mean()?, mean()?, mean()?];
    Ok(Regions { means, borders: bytemuck::pod_read_unaligned(&next()?), painted: next()? })
}
