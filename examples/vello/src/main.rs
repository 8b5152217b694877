//! A picture that vello draws, and its histograms and bounds, which halofold reads from the texture.
//!
//! `cargo run --release -- [--png FILE]`
//!
//! vello leaves its picture in a texture. Programs that adapt colours, find the content of a page or compare frames need a few numbers
//! about it, and those are best made where the picture is: nothing is copied to a buffer, and only the numbers travel to the host.

use halofold::histogram::{Histogram, Keys};
use halofold::read::Readback;
use halofold::reduce::{Arity, Monoid, Op, Reduce};
use halofold::{Compiled, Element, Map, Options, Slice};
use vello::util::{DeviceHandle, RenderContext};
use vello::wgpu;
use vello::{AaConfig, AaSupport, RenderParams, Renderer, RendererOptions, Scene};

mod scene;
#[cfg(test)]
mod tests;

type Error = Box<dyn std::error::Error>;

/// Texels are floats from 0 to 1, whatever the format stores.
const FLOATS: wgpu::TextureSampleType = wgpu::TextureSampleType::Float { filterable: false };

/// The keys of a texel: its colours and its luminance, each counted in a channel of its own. vello stores colours as sRGB encodes them,
/// so equal steps of this luminance look about equal.
const COLOURS: &str = "fn map_texel(texel: vec4<f32>, at: vec2<u32>) -> vec4<f32> {
    return vec4(texel.rgb, dot(texel.rgb, vec3(0.2126, 0.7152, 0.0722)));
}";

/// The operator of bounds: the least places, of which two are counted from the other end.
const BOUNDS: &str = "
alias Elem = vec4<u32>;
alias Acc = vec4<u32>;
fn map(elem: Elem, index: u32) -> Acc { return elem; }
fn identity() -> Acc { return vec4(0xffffffffu); }
fn combine(a: Acc, b: Acc) -> Acc { return min(a, b); }
fn finish(acc: Acc, n: u32) -> Acc { return vec4(acc.xy, ~acc.zw); }
";

/// The numbers of a picture, as they lie in a buffer: each result starts at a multiple of 256 bytes.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Findings {
    /// Texels by red, green, blue and luminance, in 256 bins each.
    histograms: [[u32; 256]; 4],
    /// The least and the largest luminance.
    luminance: [f32; 2],
    padding: [u32; 62],
    /// The first and the last column and row that are not background: left, top, right, bottom.
    bounds: [u32; 4],
}

fn main() -> Result<(), Error> {
    let file = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => None,
        [option, file] if option == "--png" => Some(file.clone()),
        _ => return Err("usage: vello-example [--png FILE]".into()),
    };
    let mut vello = Vello::open()?;
    let postcard = scene::postcard();
    let picture = vello.render(&postcard, scene::SIZE)?;
    let findings = survey(&vello.device, &vello.queue, &picture)?;

    let ([left, top, right, bottom], [darkest, brightest]) = (findings.bounds, findings.luminance);
    println!("drawn: columns {left} to {right}, rows {top} to {bottom}");
    println!("luminance: {darkest:.3} to {brightest:.3}");
    println!("texels in each eighth of a channel's range:");
    for (name, counts) in ["red", "green", "blue", "luminance"].iter().zip(&findings.histograms) {
        let eighths: Vec<u32> = counts.chunks(32).map(|bins| bins.iter().sum()).collect();
        println!("{name:9} {eighths:6?}");
    }
    if let Some(file) = file {
        let [width, height] = scene::CHARTED;
        let chart = vello.render(&scene::charted(&postcard, &findings), [width, height])?;
        let mut encoder = png::Encoder::new(std::fs::File::create(file)?, width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.write_header()?.write_image_data(&read(&vello.device, &vello.queue, &chart)?)?;
    }
    Ok(())
}

/// Reads a picture's numbers on the GPU.
fn survey(device: &wgpu::Device, queue: &wgpu::Queue, picture: &wgpu::Texture) -> Result<Findings, Error> {
    // 1. At start-up: compile.
    let keys = Keys::Ranges { low: 0.0, high: 1.0 };
    let config = Histogram::new(keys, 256).with_map(Map::texels(FLOATS, COLOURS)?);
    let histograms = Compiled::new(device, config, &Options::default())?;
    let extent = Compiled::new(
        device,
        Reduce::new(Op::MinMax.over(Element::F32)?.of_texels(Map::luminance())?),
        &Default::default(),
    )?;
    let [red, green, blue, _] = scene::BACKGROUND.components;
    // A texel's place from the first corner and from the last, unless it has the background's colour.
    let place = format!(
        "fn map_texel(texel: vec4<f32>, at: vec2<u32>) -> vec4<u32> {{
            let is_drawn = distance(texel.rgb, vec3({red}, {green}, {blue})) > 0.5 / 255.0;
            return select(vec4(0xffffffffu), vec4(at, ~at), is_drawn);
        }}"
    );
    let bounds = Monoid::custom_struct("bounds", 16, Arity::One, BOUNDS)?;
    let bounds = Compiled::new(
        device,
        Reduce::new(bounds.of_texels(Map::texels(FLOATS, &place)?)?),
        &Default::default(),
    )?;

    // 2. At start-up, and again whenever the picture's size changes: bind the texture and the results.
    let size = size_of::<Findings>() as u64;
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let results = wgpu::BufferDescriptor { label: Some("findings"), size, usage, mapped_at_creation: false };
    let results = device.create_buffer(&results);
    let histograms = histograms.of_texels(picture).bind(Slice::new(&results, 0, 4096))?;
    let extent = extent.of_texels(picture).bind(Slice::new(&results, 4096, 8))?;
    let bounds = bounds.of_texels(picture).bind(Slice::new(&results, 4352, 16))?;
    let readback = Readback::new(device, size);

    // 3. In every frame, after `render_to_texture`, which submits the picture's commands itself: record. The result is an ordinary
    //    buffer, which the application's shaders can use at once. An application that needs it on the host takes it some
    //    frames later, by `Readback::read`; this program waits.
    let mut encoder = device.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        histograms.encode_in_pass(&mut pass);
        extent.encode_in_pass(&mut pass);
        bounds.encode_in_pass(&mut pass);
    }
    readback.encode(&mut encoder, &results, 0, size)?;
    queue.submit([encoder.finish()]);
    let mut findings = bytemuck::Zeroable::zeroed();
    readback.wait_into(std::slice::from_mut(&mut findings))?;
    Ok(findings)
}

/// A renderer and the device that it draws on.
struct Vello {
    device: wgpu::Device,
    queue: wgpu::Queue,
    renderer: Renderer,
}

impl Vello {
    /// Opens a device as vello does. halofold needs no feature of it, and takes any device of the same wgpu.
    fn open() -> Result<Self, Error> {
        let mut context = RenderContext::new();
        let id = pollster::block_on(context.device(None)).ok_or("no adapter for vello")?;
        let DeviceHandle { device, queue, .. } = context.devices.swap_remove(id);
        let antialiasing_support = AaSupport::area_only();
        let renderer =
            Renderer::new(&device, RendererOptions { antialiasing_support, ..Default::default() })?;
        Ok(Vello { device, queue, renderer })
    }

    /// Draws a scene into a new texture.
    fn render(&mut self, scene: &Scene, [width, height]: [u32; 2]) -> Result<wgpu::Texture, Error> {
        let texture = self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("picture"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            // vello needs the first, halofold the second, and `run` the third.
            usage: wgpu::TextureUsages::STORAGE_BINDING
                | wgpu::TextureUsages::TEXTURE_BINDING
                | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = texture.create_view(&Default::default());
        let (base_color, antialiasing_method) = (scene::BACKGROUND, AaConfig::Area);
        let params = RenderParams { base_color, width, height, antialiasing_method };
        self.renderer.render_to_texture(&self.device, &self.queue, scene, &view, &params)?;
        Ok(texture)
    }
}

/// Reads a whole texture back, four bytes a texel, for a file and for the test. Its width is a multiple of 64, so that rows lie in the
/// buffer without gaps.
fn read(device: &wgpu::Device, queue: &wgpu::Queue, texture: &wgpu::Texture) -> Result<Vec<u8>, Error> {
    let row = 4 * texture.width();
    let size = u64::from(row * texture.height());
    let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
    let buffer = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
    let buffer = device.create_buffer(&buffer);
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
    let target = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    let mut encoder = device.create_command_encoder(&Default::default());
    encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
    let readback = Readback::new(device, size);
    readback.encode(&mut encoder, &buffer, 0, size)?;
    queue.submit([encoder.finish()]);
    Ok(readback.wait(size)?)
}
