//! Visible points: the number of points that a camera sees and the depth of the nearest one, every frame.
//!
//! `cargo run --release --example visible_points`
//!
//! The camera moves, so the operator needs numbers that change: its text declares a uniform, and the application binds the buffer
//! from which its own shaders read the camera. A frame writes the camera's 64 bytes and records the reduction. Nothing is compiled,
//! allocated or copied for it, and the points are read once.

use halofold::Compiled;
use halofold::read::Readback;
use halofold::reduce::{Arity, Monoid, Reduce};
use halofold::wgpu::{self, util::DeviceExt as _};

type Error = Box<dyn std::error::Error>;

/// The number of frames, in which the camera turns once.
pub const FRAMES: usize = 16;

/// A point, 12 bytes.
pub type Point = [f32; 3];

/// The operator. `Camera` is the application's own struct; a point is in clip space after one product, and visible if it is inside.
const VISIBLE: &str = "
struct Camera { view_projection: mat4x4<f32> }
@group(0) @binding(9) var<uniform> camera: Camera;

struct Elem { x: f32, y: f32, z: f32 }
struct Acc { count: u32, depth: f32 }

fn map(elem: Elem, index: u32) -> Acc {
    let clip = camera.view_projection * vec4<f32>(elem.x, elem.y, elem.z, 1.0);
    let is_visible = all(abs(clip.xy) <= vec2<f32>(clip.w)) && clip.z >= 0.0 && clip.z <= clip.w;
    return Acc(select(0u, 1u, is_visible), select(1.0, clip.z / clip.w, is_visible));
}
fn identity() -> Acc { return Acc(0u, 1.0); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.count + b.count, min(a.depth, b.depth)); }
fn finish(acc: Acc, n: u32) -> Acc { return acc; }
";

/// The result of a frame, as the GPU writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Visible {
    /// The number of points that the camera sees.
    pub count: u32,
    /// The depth of the nearest one, from 0 to 1.
    pub depth: f32,
}

fn main() -> Result<(), Error> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))?;
    for (frame, Visible { count, depth }) in run(&device, &queue, &points(1_000_000))?.iter().enumerate() {
        println!("frame {frame:2}: {count} points, the nearest at depth {depth:.3}");
    }
    Ok(())
}

/// Points in a cube around the camera.
pub fn points(count: u32) -> Vec<Point> {
    let coordinate = |seed: u32| {
        let mixed = (seed ^ (seed >> 16)).wrapping_mul(0x7feb_352d);
        let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x846c_a68b);
        (mixed >> 8) as f32 / (1 << 24) as f32 * 20.0 - 10.0
    };
    (0..count).map(|i| [0, 1, 2].map(|axis| coordinate(3 * i + axis + 1))).collect()
}

/// The camera of a frame: at the origin, turned around the vertical axis, with a view of 90 degrees from 0.1 to 10. It is a matrix
/// of four columns.
pub fn camera(frame: usize) -> [[f32; 4]; 4] {
    let (sin, cos) = (frame as f32 / FRAMES as f32 * std::f32::consts::TAU).sin_cos();
    let (near, far) = (0.1, 10.0);
    let (scale, shift) = (far / (far - near), -near * far / (far - near));
    [
        [cos, 0.0, sin * scale, sin],
        [0.0, 1.0, 0.0, 0.0],
        [-sin, 0.0, cos * scale, cos],
        [0.0, 0.0, shift, 0.0],
    ]
}

/// Runs all frames on a device.
pub fn run(device: &wgpu::Device, queue: &wgpu::Queue, points: &[Point]) -> Result<Vec<Visible>, Error> {
    let size = size_of::<Visible>() as u64;
    let points = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("points"),
        contents: bytemuck::cast_slice(points),
        usage: wgpu::BufferUsages::STORAGE,
    });
    let buffer = |label, size, usage| {
        let descriptor =
            wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        device.create_buffer(&descriptor)
    };
    let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
    let camera_buffer = buffer("camera", 64, uniform);
    let visible = buffer("visible", size, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);

    // Once: the operator is compiled, and the points, the camera and the result are bound.
    let monoid = Monoid::custom_struct("visible", size_of::<Point>() as u64, Arity::One, VISIBLE)?;
    let reducer = Compiled::new(device, Reduce::new(monoid), &Default::default())?;
    let reduction = reducer.of(&points).with_parameters(&camera_buffer).bind(&visible)?;

    // Every frame: write the camera, and record. An application would read `visible` in its next shader; here all frames are
    // gathered for the host.
    let history = Readback::new(device, size * FRAMES as u64);
    for frame in 0..FRAMES {
        queue.write_buffer(&camera_buffer, 0, bytemuck::bytes_of(&camera(frame)));
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        reduction.encode(&mut encoder);
        history.encode_behind(frame as u64 * size, &mut encoder, &visible, 0, size)?;
        queue.submit([encoder.finish()]);
    }
    Ok(bytemuck::pod_collect_to_vec(&history.wait(size * FRAMES as u64)?))
}
