//! Exposure by percentiles: the darkest and the brightest 2 % of a picture do not count.
//!
//! `cargo run --release --example percentile_exposure`
//!
//! A window in a dark room decides the exposure of all of it if a renderer takes the mean of all luminances, as `auto_exposure` does.
//! Photographers cut both ends of the distribution off, and take the mean of the rest. The ends are two quantiles, and no bin of a
//! histogram makes them coarser. They and the mean never leave the GPU. One frame is one compute pass:
//!
//! ```text
//! draw (application) → quantiles (halofold) → mean between them (halofold) → tone map (application)
//! ```

use halofold::rank::{Method, Quantiles};
use halofold::read::Readback;
use halofold::reduce::{Arity, Monoid, Reduce};
use halofold::{Compiled, Element, Options, wgpu};
use wgpu::util::DeviceExt as _;

type Error = Box<dyn std::error::Error>;

/// The size of the picture, in pixels.
pub const SIZE: [u32; 2] = [320, 180];
const PIXELS: u64 = SIZE[0] as u64 * SIZE[1] as u64;

/// The share of pixels that is cut off at either end.
pub const CUT: f64 = 0.02;

/// Brightness of the window, frame by frame.
pub const WINDOW: [f32; 3] = [4.0, 64.0, 1024.0];

/// The mean of the elements from one quantile to the other. The buffer of quantiles is a parameter of the operator.
const MEAN_BETWEEN: &str = "
@group(0) @binding(10) var<storage> ends: vec2<f32>;

struct Acc { sum: f32, count: u32 }

fn map(elem: f32, index: u32) -> Acc {
    let is_inside = elem >= ends.x && elem <= ends.y;
    return Acc(select(0.0, elem, is_inside), u32(is_inside));
}
fn identity() -> Acc { return Acc(0.0, 0u); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.sum + b.sum, a.count + b.count); }
fn finish(acc: Acc, n: u32) -> f32 { return acc.sum / f32(acc.count); }
";

/// The application's shaders.
const APPLICATION: &str = "
@group(0) @binding(0) var<uniform> window: f32;
// The luminance of each pixel, in stops.
@group(0) @binding(1) var<storage, read_write> stops: array<f32>;
@group(0) @binding(2) var<storage> ends: vec2<f32>;
@group(0) @binding(3) var<storage> mean: f32;
@group(0) @binding(4) var<storage, read_write> picture: array<f32>;

const SIZE = vec2<u32>(320u, 180u);

// Draws a room that gets darker towards its corners, and a window of 1 % of the picture.
@compute @workgroup_size(8, 8)
fn draw(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= SIZE) { return; }
    let at = vec2<f32>(id.xy) / vec2<f32>(SIZE) - 0.5;
    let tile = f32((id.x / 20u + id.y / 20u) % 2u);
    var luminance = 0.02 * (1.0 + tile) * (1.0 - dot(at, at));
    if all(abs(at - vec2<f32>(0.2, -0.2)) < vec2<f32>(0.05)) { luminance = window; }
    stops[id.y * SIZE.x + id.x] = log2(luminance);
}

// The mean becomes middle grey, and the upper quantile white.
@compute @workgroup_size(8, 8)
fn tone_map(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= SIZE) { return; }
    let pixel = id.y * SIZE.x + id.x;
    let exposure = log2(0.18) - mean;
    let light = exp2(stops[pixel] + exposure);
    let white = exp2(ends.y + exposure);
    picture[pixel] = min(light * (1.0 + light / (white * white)) / (1.0 + light), 1.0);
}
";

/// A frame, read from the GPU.
pub struct Frame {
    /// The luminances, in stops.
    pub stops: Vec<f32>,
    /// The two quantiles.
    pub ends: [f32; 2],
    /// The mean of the luminances between them, in stops.
    pub mean: f32,
    /// The picture as it is shown, from 0 to 1.
    pub picture: Vec<f32>,
}

fn main() -> Result<(), Error> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))?;
    println!("window     2 %    98 %    mean between, in stops");
    for (window, Frame { ends: [low, high], mean, .. }) in WINDOW.iter().zip(run(&device, &queue)?) {
        println!("{window:6}  {low:6.2}  {high:6.2}  {mean:6.2}");
    }
    Ok(())
}

/// Runs all frames on a device.
pub fn run(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<Vec<Frame>, Error> {
    let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let buffer = |label, size, usage| {
        let label = Some(label);
        device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
    };
    let window = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("window"),
        contents: bytemuck::bytes_of(&WINDOW[0]),
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
    });
    let sizes = [("stops", 4 * PIXELS), ("ends", 8), ("mean", 4), ("picture", 4 * PIXELS)];
    let outputs = sizes.map(|(label, size)| buffer(label, size, storage));
    let [stops, ends, mean, picture] = &outputs;

    // Once: what a frame asks of halofold is compiled and bound.
    let quantiles = Compiled::new(
        device,
        Quantiles::new(Element::F32, [CUT, 1.0 - CUT]).with_method(Method::Nearest),
        &Options::default(),
    )?;
    let find_ends = quantiles.of(stops).bind(ends)?;
    let mean_between = Monoid::custom("mean-between", Element::F32, Arity::One, MEAN_BETWEEN)?;
    let mean_between = Compiled::new(device, Reduce::new(mean_between), &Default::default())?;
    let find_mean = mean_between.of(stops).with_parameters(ends).bind(mean)?;

    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("application"),
        source: wgpu::ShaderSource::Wgsl(APPLICATION.into()),
    });
    let bound = [&window, stops, ends, mean, picture];
    let draw = stage(device, &module, "draw", &bound, &[0, 1]);
    let tone_map = stage(device, &module, "tone_map", &bound, &[1, 2, 3, 4]);

    let mut frames = Vec::new();
    for brightness in WINDOW {
        queue.write_buffer(&window, 0, bytemuck::bytes_of(&brightness));
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            dispatch(&mut pass, &draw);
            find_ends.encode_in_pass(&mut pass);
            find_mean.encode_in_pass(&mut pass);
            dispatch(&mut pass, &tone_map);
        }
        // For the report only: an application shows the picture and reads nothing.
        let readbacks = outputs.each_ref().map(|output| Readback::new(device, output.size()));
        for (readback, output) in readbacks.iter().zip(&outputs) {
            readback.encode(&mut encoder, output, 0, output.size())?;
        }
        queue.submit([encoder.finish()]);
        let floats = |at: usize| -> Result<Vec<f32>, Error> {
            Ok(bytemuck::pod_collect_to_vec(&readbacks[at].wait(outputs[at].size())?))
        };
        let ends = floats(1)?;
        frames.push(Frame {
            stops: floats(0)?,
            ends: [ends[0], ends[1]],
            mean: floats(2)?[0],
            picture: floats(3)?,
        });
    }
    Ok(frames)
}

/// An entry point of the application, with the buffers that it uses.
fn stage(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    entry_point: &str,
    buffers: &[&wgpu::Buffer],
    bindings: &[u32],
) -> (wgpu::ComputePipeline, wgpu::BindGroup) {
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry_point),
        layout: None,
        module,
        entry_point: Some(entry_point),
        compilation_options: Default::default(),
        cache: None,
    });
    let entries = bindings.iter().map(|&binding| wgpu::BindGroupEntry {
        binding,
        resource: buffers[binding as usize].as_entire_binding(),
    });
    let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(entry_point),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries.collect::<Vec<_>>(),
    });
    (pipeline, bindings)
}

fn dispatch(
    pass: &mut wgpu::ComputePass<'_>,
    (pipeline, bindings): &(wgpu::ComputePipeline, wgpu::BindGroup),
) {
    pass.set_pipeline(pipeline);
    pass.set_bind_group(0, bindings, &[]);
    pass.dispatch_workgroups(SIZE[0].div_ceil(8), SIZE[1].div_ceil(8), 1);
}
