//! Auto exposure: halofold in the middle of an application's frame. The next dispatch uses its result on the
//! GPU.
//!
//! `cargo run --release --example auto_exposure -- [--png FOLDER]`
//!
//! Like a camera, a renderer adjusts every picture so that its mean is middle grey. For this it needs the
//! mean of the logarithms of all luminances, in every frame, without waiting: a readback would stall the GPU
//! for longer than the reduction takes. So the number never leaves the GPU. One frame is one compute pass:
//!
//! ```text
//! draw (application) → log-mean (halofold) → adapt, as an eye does (application) → tone map (application)
//! ```
//!
//! The numbers below mark the steps with which an application embeds halofold: 1 and 2 at start-up, 3 in
//! every frame. halofold creates no device, no queue, no pass and no thread, and it allocates nothing in a
//! frame.

use std::path::{Path, PathBuf};

use halofold::Element;
use halofold::read::Readback;
use halofold::reduce::{Arity, Monoid, Reducer};
// The wgpu that halofold was built with. An application that names its own gets a compile error if the
// versions differ.
use halofold::wgpu;

type Error = Box<dyn std::error::Error>;

/// The size of the picture, in pixels.
pub const SIZE: [u32; 2] = [320, 180];
const PIXELS: u64 = SIZE[0] as u64 * SIZE[1] as u64;

/// The number of frames.
pub const FRAMES: u32 = 90;
/// The first bright frame.
pub const DAWN: u32 = 30;

/// The application's format for colours whose channels have no upper bound: three mantissas and an exponent.
///
/// The operator and the application's own shaders share this text.
const UNPACK: &str = "
fn unpack(pixel: u32) -> vec3<f32> {
    let mantissa = vec3<f32>(vec3<u32>(pixel, pixel >> 8u, pixel >> 16u) & vec3<u32>(255u));
    return mantissa / 255.0 * exp2(f32(pixel >> 24u) - 128.0);
}
";

/// The reduction: four functions, in the application's own terms.
///
/// `Elem` is `u32`, one packed pixel, which `map` unpacks. `finish` divides by the number of pixels, so that
/// the next shader can use the result directly.
const LOG_MEAN: &str = "
alias Acc = f32;
fn map(elem: Elem, index: u32) -> Acc {
    // Black has no logarithm: luminances are at least a ten-thousandth.
    return log2(max(dot(unpack(elem), vec3<f32>(0.2126, 0.7152, 0.0722)), 1e-4));
}
fn identity() -> Acc { return 0.0; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> f32 { return acc / f32(n); }
";

/// The application's shaders.
const APPLICATION: &str = "
struct Frame { size: vec2<u32>, number: u32, brightness: f32 }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read_write> scene: array<u32>;
@group(0) @binding(2) var<storage, read_write> log_mean: f32;
// The log-mean and the exposure of every frame, both in stops.
@group(0) @binding(3) var<storage, read_write> history: array<vec2<f32>>;
@group(0) @binding(4) var<storage, read_write> picture: array<u32>;

fn pack(colour: vec3<f32>) -> u32 {
    let exponent = ceil(log2(max(max(colour.r, colour.g), max(colour.b, 1e-9))));
    let mantissa = vec3<u32>(round(colour / exp2(exponent) * 255.0));
    return mantissa.r | (mantissa.g << 8u) | (mantissa.b << 16u) | (u32(exponent + 128.0) << 24u);
}

// Draws a tiled floor, a wall, and a lamp fifty times as bright as either.
@compute @workgroup_size(8, 8)
fn draw(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= frame.size) { return; }
    let at = vec2<f32>(id.xy) / vec2<f32>(frame.size);
    let tile = f32((id.x / 20u + id.y / 20u) % 2u);
    var colour = mix(vec3<f32>(0.7, 0.75, 0.9) * (0.3 + 0.7 * at.y), vec3<f32>(0.5, 0.35, 0.25) * (0.3 + tile), step(0.6, at.y));
    if distance(at * vec2<f32>(1.78, 1.0), vec2<f32>(1.3, 0.25)) < 0.08 { colour = vec3<f32>(50.0, 45.0, 35.0); }
    scene[id.y * frame.size.x + id.x] = pack(colour * frame.brightness);
}

// In each frame the exposure moves an eighth of the way, as an eye adapts. The result of the reduction is an
// // ordinary storage buffer.
@compute @workgroup_size(1)
fn adapt() {
    // The exposure at which the log-mean is 18 %, middle grey.
    let wanted = log2(0.18) - log_mean;
    var exposure = wanted;
    if frame.number > 0u { exposure = mix(history[frame.number - 1u].y, wanted, 0.125); }
    history[frame.number] = vec2<f32>(log_mean, exposure);
}

@compute @workgroup_size(8, 8)
fn tone_map(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= frame.size) { return; }
    let at = id.y * frame.size.x + id.x;
    let light = unpack(scene[at]) * exp2(history[frame.number].y);
    picture[at] = pack4x8unorm(vec4<f32>(pow(light / (1.0 + light), vec3<f32>(1.0 / 2.2)), 1.0));
}
";

/// The uniform block of a frame.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct FrameData {
    size: [u32; 2],
    number: u32,
    brightness: f32,
}

/// The figures of one frame, read from the GPU after the last frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The brightness of the scene.
    pub brightness: f32,
    /// The mean of the logarithms of its luminances, in stops.
    pub log_mean: f32,
    /// The exposure with which it was shown, in stops.
    pub exposure: f32,
}

/// The outcome of a run.
pub struct Outcome {
    /// All frames.
    pub frames: Vec<Frame>,
    /// The last frame's scene, in packed pixels.
    pub scene: Vec<u8>,
    /// The first bright frame as it was shown, RGBA.
    pub dazzled: Vec<u8>,
    /// The last frame as it was shown, RGBA.
    pub adapted: Vec<u8>,
}

fn main() -> Result<(), Error> {
    let folder = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => None,
        [option, folder] if option == "--png" => Some(PathBuf::from(folder)),
        _ => return Err("usage: auto_exposure [--png FOLDER]".into()),
    };
    // The application opens its device as before. halofold runs with the lowest limits; subgroup operations,
    // if the adapter has them, make it faster.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_features: adapter.features() & wgpu::Features::SUBGROUP,
        required_limits: wgpu::Limits::downlevel_defaults(),
        ..Default::default()
    }))?;
    let outcome = run(&device, &queue)?;
    println!("{}\nframe  brightness  log-mean  exposure", adapter.get_info().name);
    for (number, frame) in outcome.frames.iter().enumerate() {
        if number % 10 == 0 || (number as u32) == DAWN + 1 {
            println!("{number:5}  {:10}  {:8.3}  {:8.3}", frame.brightness, frame.log_mean, frame.exposure);
        }
    }
    if let Some(folder) = folder {
        write_png(&folder.join("dazzled.png"), &outcome.dazzled)?;
        write_png(&folder.join("adapted.png"), &outcome.adapted)?;
    }
    Ok(())
}

/// Runs the application on a device.
pub fn run(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<Outcome, Error> {
    let app = Application::new(device);

    // 1. At start-up: the operator is checked on the CPU. Errors name the line.
    let log_mean = Monoid::custom("log-mean", Element::U32, Arity::One, &[UNPACK, LOG_MEAN].concat())?;
    let log_mean = Reducer::new(device, log_mean)?;

    // 2. At start-up, and again whenever the window's size changes: bind the input and the result.
    let reduction = log_mean.of(&app.scene).into(&app.log_mean)?;

    let pictures = [DAWN, FRAMES - 1].map(|number| (number, Readback::new(device, 4 * PIXELS)));
    for number in 0..FRAMES {
        let data = FrameData { size: SIZE, number, brightness: brightness(number) };
        queue.write_buffer(&app.frame, 0, bytemuck::bytes_of(&data));
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            app.dispatch(&mut pass, &app.draw, tiles());
            // 3. Every frame: record it after the dispatch that writes its input, and before the one that
            //    reads its result. wgpu inserts the barriers. It changes the pass's pipeline and its bind
            //    group 0, so `dispatch` sets both again. Outside a pass, call
            //    `reduction.encode(&mut encoder)`.
            reduction.encode_in_pass(&mut pass);
            app.dispatch(&mut pass, &app.adapt, [1, 1]);
            app.dispatch(&mut pass, &app.tone_map, tiles());
        }
        for (_, readback) in pictures.iter().filter(|(wanted, _)| *wanted == number) {
            readback.encode(&mut encoder, &app.picture, 0, 4 * PIXELS)?;
        }
        queue.submit([encoder.finish()]);
    }

    // Nothing has waited until here; only the report needs the numbers on the host.
    let history = read(device, queue, &app.history)?;
    let frames = bytemuck::cast_slice::<u8, [f32; 2]>(&history).iter().zip(0..);
    let [dazzled, adapted] = pictures.map(|(_, readback)| readback.wait(4 * PIXELS));
    Ok(Outcome {
        frames: frames
            .map(|(&[log_mean, exposure], number)| Frame {
                brightness: brightness(number),
                log_mean,
                exposure,
            })
            .collect(),
        scene: read(device, queue, &app.scene)?,
        dazzled: dazzled?,
        adapted: adapted?,
    })
}

/// The brightness of the scene: night, then day.
fn brightness(frame: u32) -> f32 {
    if frame < DAWN { 0.015_625 } else { 16.0 }
}

/// The number of workgroups of 8 × 8 pixels.
fn tiles() -> [u32; 2] {
    SIZE.map(|pixels| pixels.div_ceil(8))
}

/// The application's own buffers and pipelines. Nothing here depends on halofold.
struct Application {
    frame: wgpu::Buffer,
    scene: wgpu::Buffer,
    log_mean: wgpu::Buffer,
    history: wgpu::Buffer,
    picture: wgpu::Buffer,
    bindings: wgpu::BindGroup,
    draw: wgpu::ComputePipeline,
    adapt: wgpu::ComputePipeline,
    tone_map: wgpu::ComputePipeline,
}

impl Application {
    fn new(device: &wgpu::Device) -> Self {
        let buffer = |label, size, usage| {
            let descriptor =
                wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
            device.create_buffer(&descriptor)
        };
        // Buffers that halofold reads or writes need only STORAGE.
        let storage = wgpu::BufferUsages::STORAGE;
        let source = storage | wgpu::BufferUsages::COPY_SRC;
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let frame = buffer("frame", size_of::<FrameData>() as u64, uniform);
        let scene = buffer("scene", 4 * PIXELS, source);
        let log_mean = buffer("log-mean", 4, storage);
        let history = buffer("history", 8 * u64::from(FRAMES), source);
        let picture = buffer("picture", 4 * PIXELS, source);

        let bound = [&frame, &scene, &log_mean, &history, &picture];
        let layout = layout(device, bound.len() as u32);
        let entries = (0..)
            .zip(bound)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() });
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("application"),
            layout: &layout,
            entries: &entries.collect::<Vec<_>>(),
        });
        let pipeline = pipelines(device, &layout);
        let [draw, adapt, tone_map] = ["draw", "adapt", "tone_map"].map(pipeline);
        Application { frame, scene, log_mean, history, picture, bindings, draw, adapt, tone_map }
    }

    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, pipeline: &wgpu::ComputePipeline, [x, y]: [u32; 2]) {
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.dispatch_workgroups(x, y, 1);
    }
}

/// A layout with a uniform buffer, followed by storage buffers.
fn layout(device: &wgpu::Device, bindings: u32) -> wgpu::BindGroupLayout {
    let entries = (0..bindings).map(|binding| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: match binding {
                0 => wgpu::BufferBindingType::Uniform,
                _ => wgpu::BufferBindingType::Storage { read_only: false },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    });
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("application"),
        entries: &entries.collect::<Vec<_>>(),
    })
}

/// Creates the application's pipelines, one per entry point.
fn pipelines(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
) -> impl Fn(&str) -> wgpu::ComputePipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("application"),
        source: wgpu::ShaderSource::Wgsl([APPLICATION, UNPACK].concat().into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("application"),
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    move |entry_point| {
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry_point),
            layout: Some(&layout),
            module: &module,
            entry_point: Some(entry_point),
            compilation_options: Default::default(),
            cache: None,
        })
    }
}

/// Reads a whole buffer back to the host. It waits, so it is only for the end of a run.
fn read(device: &wgpu::Device, queue: &wgpu::Queue, buffer: &wgpu::Buffer) -> Result<Vec<u8>, Error> {
    let readback = Readback::new(device, buffer.size());
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    readback.encode(&mut encoder, buffer, 0, buffer.size())?;
    queue.submit([encoder.finish()]);
    Ok(readback.wait(buffer.size())?)
}

fn write_png(path: &Path, rgba: &[u8]) -> Result<(), Error> {
    let file = std::io::BufWriter::new(std::fs::File::create(path)?);
    let mut encoder = png::Encoder::new(file, SIZE[0], SIZE[1]);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(rgba)?;
    Ok(())
}
