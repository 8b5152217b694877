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
//! The scene is a texture of half floats, which halofold reads where it is.
//!
//! The numbers below mark the steps with which an application embeds halofold: 1 and 2 at start-up, 3 in
//! every frame. halofold creates no device, no queue, no pass and no thread, and it allocates nothing in a
//! frame.

use std::path::{Path, PathBuf};

use halofold::read::Readback;
use halofold::reduce::{Op, Reduce};
use halofold::{Compiled, Element, Map};
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

/// The map of texels to elements of the reduction, in the application's own terms.
const STOPS: &str = "
fn map_texel(texel: vec4<f32>, at: vec2<u32>) -> f32 {
    // Black has no logarithm: luminances are at least a ten-thousandth.
    return log2(max(dot(texel.rgb, vec3<f32>(0.2126, 0.7152, 0.0722)), 1e-4));
}
";

/// The application's shaders.
const APPLICATION: &str = "
struct Frame { number: u32, brightness: f32 }
@group(0) @binding(0) var<uniform> frame: Frame;
// The scene has no upper bound of brightness: half floats.
@group(0) @binding(1) var canvas: texture_storage_2d<rgba16float, write>;
@group(0) @binding(2) var scene: texture_2d<f32>;
@group(0) @binding(3) var<storage> log_mean: f32;
// The log-mean and the exposure of every frame, both in stops.
@group(0) @binding(4) var<storage, read_write> history: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read_write> picture: array<u32>;

// Draws a tiled floor, a wall, and a lamp fifty times as bright as either.
@compute @workgroup_size(8, 8)
fn draw(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = textureDimensions(canvas);
    if any(id.xy >= size) { return; }
    let at = vec2<f32>(id.xy) / vec2<f32>(size);
    let tile = f32((id.x / 20u + id.y / 20u) % 2u);
    var colour = mix(vec3<f32>(0.7, 0.75, 0.9) * (0.3 + 0.7 * at.y), vec3<f32>(0.5, 0.35, 0.25) * (0.3 + tile), step(0.6, at.y));
    if distance(at * vec2<f32>(1.78, 1.0), vec2<f32>(1.3, 0.25)) < 0.08 { colour = vec3<f32>(50.0, 45.0, 35.0); }
    textureStore(canvas, id.xy, vec4<f32>(colour * frame.brightness, 1.0));
}

// In each frame the exposure moves an eighth of the way, as an eye adapts. The result of the reduction is an
// ordinary storage buffer.
@compute @workgroup_size(1)
fn adapt() {
    // The exposure at which the log-mean is 18 %, middle grey.
    let aim = log2(0.18) - log_mean;
    var exposure = aim;
    if frame.number > 0u { exposure = mix(history[frame.number - 1u].y, aim, 0.125); }
    history[frame.number] = vec2<f32>(log_mean, exposure);
}

@compute @workgroup_size(8, 8)
fn tone_map(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = textureDimensions(scene);
    if any(id.xy >= size) { return; }
    let light = textureLoad(scene, id.xy, 0).rgb * exp2(history[frame.number].y);
    picture[id.y * size.x + id.x] = pack4x8unorm(vec4<f32>(pow(light / (1.0 + light), vec3<f32>(1.0 / 2.2)), 1.0));
}
";

/// The uniform block of a frame.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct FrameData {
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
    /// The last frame's scene, in texels of four half floats.
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

    // 1. At start-up: the map is checked on the CPU. Errors name the line.
    let stops = Map::texels(wgpu::TextureSampleType::Float { filterable: false }, STOPS)?;
    let log_mean = Compiled::new(
        device,
        Reduce::new(Op::Mean.over(Element::F32)?.of_texels(stops)?),
        &Default::default(),
    )?;

    // 2. At start-up, and again whenever the window's size changes: bind the texture and the result.
    let reduction = log_mean.of_texels(&app.scene).bind(&app.log_mean)?;

    let pictures = [DAWN, FRAMES - 1].map(|number| (number, Readback::new(device, 4 * PIXELS)));
    for number in 0..FRAMES {
        let data = FrameData { number, brightness: brightness(number) };
        queue.write_buffer(&app.frame, 0, bytemuck::bytes_of(&data));
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            app.draw.dispatch(&mut pass, tiles());
            // 3. Every frame: record it after the dispatch that writes the texture, and before the one that
            //    reads its result. wgpu inserts the barriers. It changes the pass's pipeline and its bind
            //    group 0, so `dispatch` sets both again. Outside a pass, call
            //    `reduction.encode(&mut encoder)`.
            reduction.encode_in_pass(&mut pass);
            app.adapt.dispatch(&mut pass, [1, 1]);
            app.tone_map.dispatch(&mut pass, tiles());
        }
        for (_, readback) in pictures.iter().filter(|(requested, _)| *requested == number) {
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
        scene: read_scene(device, queue, &app.scene)?,
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

/// The application's own buffers, texture and pipelines. Nothing here depends on halofold.
struct Application {
    frame: wgpu::Buffer,
    scene: wgpu::Texture,
    log_mean: wgpu::Buffer,
    history: wgpu::Buffer,
    picture: wgpu::Buffer,
    draw: Stage,
    adapt: Stage,
    tone_map: Stage,
}

impl Application {
    fn new(device: &wgpu::Device) -> Self {
        // Buffers to which halofold writes need only STORAGE, and textures that it reads TEXTURE_BINDING.
        let storage = wgpu::BufferUsages::STORAGE;
        let source = storage | wgpu::BufferUsages::COPY_SRC;
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let frame = buffer(device, "frame", size_of::<FrameData>() as u64, uniform);
        let log_mean = buffer(device, "log-mean", 4, storage);
        let history = buffer(device, "history", 8 * u64::from(FRAMES), source);
        let picture = buffer(device, "picture", 4 * PIXELS, source);
        let scene = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("scene"),
            size: wgpu::Extent3d { width: SIZE[0], height: SIZE[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba16Float,
            usage: wgpu::TextureUsages::STORAGE_BINDING
                | wgpu::TextureUsages::TEXTURE_BINDING
                | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = scene.create_view(&wgpu::TextureViewDescriptor::default());

        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("application"),
            source: wgpu::ShaderSource::Wgsl(APPLICATION.into()),
        });
        let bound = [
            frame.as_entire_binding(),
            wgpu::BindingResource::TextureView(&view),
            wgpu::BindingResource::TextureView(&view),
            log_mean.as_entire_binding(),
            history.as_entire_binding(),
            picture.as_entire_binding(),
        ];
        // A pipeline, with those of the resources that its entry point uses.
        let stage = |entry_point, bindings: &[u32]| {
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry_point),
                layout: None,
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: Default::default(),
                cache: None,
            });
            let entries = bindings
                .iter()
                .map(|&binding| wgpu::BindGroupEntry { binding, resource: bound[binding as usize].clone() });
            let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(entry_point),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &entries.collect::<Vec<_>>(),
            });
            Stage { pipeline, bindings }
        };
        let draw = stage("draw", &[0, 1]);
        let adapt = stage("adapt", &[0, 3, 4]);
        let tone_map = stage("tone_map", &[0, 2, 4, 5]);
        Application { frame, scene, log_mean, history, picture, draw, adapt, tone_map }
    }
}

/// One entry point of the application's shaders, and the bindings that it uses.
struct Stage {
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroup,
}

impl Stage {
    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, [x, y]: [u32; 2]) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.dispatch_workgroups(x, y, 1);
    }
}

fn buffer(device: &wgpu::Device, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let label = Some(label);
    device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
}

/// Reads the scene back to the host, eight bytes a texel.
fn read_scene(device: &wgpu::Device, queue: &wgpu::Queue, scene: &wgpu::Texture) -> Result<Vec<u8>, Error> {
    let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
    let copy = buffer(device, "copy", 8 * PIXELS, usage);
    // A multiple of 256, as copies demand.
    let bytes_per_row = Some(8 * SIZE[0]);
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row, rows_per_image: None };
    let target = wgpu::TexelCopyBufferInfo { buffer: &copy, layout };
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_texture_to_buffer(scene.as_image_copy(), target, scene.size());
    queue.submit([encoder.finish()]);
    read(device, queue, &copy)
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
