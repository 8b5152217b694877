//! The ceiling: how fast this machine's memory can be read, and copied, by a kernel that does nothing else.

use wgpu::util::DeviceExt as _;
use wgpu::{BufferUsages, Device};

use crate::measure::{Budget, MeasureError, Timer, Timing};
use crate::shader::piece;

/// The most bytes the peak is measured over; more than any last-level cache holds.
const LARGEST: u64 = 1 << 29;

/// The same on a processor that plays a GPU.
const LARGEST_ON_CPU: u64 = 1 << 26;

/// Workgroup sizes and workgroups that are tried; the best counts.
const SHAPES: [(u32, u32); 4] = [(256, 1056), (256, 4224), (512, 1056), (1024, 528)];

/// What this machine's memory can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Bytes a second, in units of 10^9, of a kernel that only reads.
    pub read_gb_per_s: f64,
    /// The same of a kernel that copies, bytes read and written together.
    pub copy_gb_per_s: f64,
    /// Bytes the kernels went over.
    pub bytes: u64,
    /// Where the times come from.
    pub timing: Timing,
}

/// Measures the peak of the timer's device. Takes about a second on a GPU; allocates up to 1 GiB and frees it.
///
/// # Errors
///
/// If the device is lost on the way.
pub fn peak(timer: &Timer, budget: Budget) -> Result<Peak, MeasureError> {
    let device = timer.device();
    let limits = device.limits();
    let software = device.adapter_info().device_type == wgpu::DeviceType::Cpu;
    let wanted = if software { LARGEST_ON_CPU } else { LARGEST };
    let bytes = wanted.min(limits.max_storage_buffer_binding_size).min(limits.max_buffer_size) / 256 * 256;
    let source = noise(timer, bytes);
    let sink = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold::measure::sink"),
        size: bytes,
        usage: BufferUsages::STORAGE,
        mapped_at_creation: false,
    });
    let shapes = if software { &SHAPES[..1] } else { &SHAPES[..] };
    let (read, timing) = best(timer, budget, "measure/read", shapes, &source, &sink)?;
    let (copy, _) = best(timer, budget, "measure/copy", shapes, &source, &sink)?;
    let gb = bytes as f64 / 1e6;
    Ok(Peak { read_gb_per_s: gb / read, copy_gb_per_s: 2.0 * gb / copy, bytes, timing })
}

/// A buffer of pseudo-random words: memory full of zeros may be faster than memory with data.
fn noise(timer: &Timer, bytes: u64) -> wgpu::Buffer {
    const SEED: usize = 1 << 20;
    let device = timer.device();
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold::measure::noise"),
        size: bytes,
        usage: BufferUsages::STORAGE | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let words: Vec<u32> =
        (0..SEED as u32 / 4).map(|i| i.wrapping_mul(0x9e37_79b9).rotate_left(i % 31)).collect();
    let seed = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("halofold::measure::seed"),
        contents: bytemuck::cast_slice(&words),
        usage: BufferUsages::COPY_SRC,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    for at in (0..bytes).step_by(SEED) {
        encoder.copy_buffer_to_buffer(&seed, 0, &buffer, at, (bytes - at).min(SEED as u64));
    }
    timer.queue().submit([encoder.finish()]);
    buffer
}

/// The best median in milliseconds of a kernel over some shapes.
fn best(
    timer: &Timer,
    budget: Budget,
    kernel: &str,
    shapes: &[(u32, u32)],
    source: &wgpu::Buffer,
    sink: &wgpu::Buffer,
) -> Result<(f64, Timing), MeasureError> {
    let most = timer.device().limits().max_compute_invocations_per_workgroup;
    let mut best = (f64::INFINITY, Timing::Wall);
    for &(workgroup_size, groups) in shapes.iter().filter(|(workgroup_size, _)| *workgroup_size <= most) {
        let (pipeline, bindings) = prepare(timer.device(), kernel, workgroup_size, groups, source, sink);
        let measured = timer.measure(budget, &|pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &bindings, &[]);
            pass.dispatch_workgroups(groups, 1, 1);
        })?;
        let ms = measured.summary().median;
        if ms < best.0 {
            best = (ms, measured.timing);
        }
    }
    Ok(best)
}

fn prepare(
    device: &Device,
    kernel: &str,
    workgroup_size: u32,
    groups: u32,
    source: &wgpu::Buffer,
    sink: &wgpu::Buffer,
) -> (wgpu::ComputePipeline, wgpu::BindGroup) {
    let label = format!("halofold::{kernel}");
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(&label),
        source: wgpu::ShaderSource::Wgsl(piece(kernel).into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(&label),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &[("WG", f64::from(workgroup_size)), ("GROUPS", f64::from(groups))],
            ..Default::default()
        },
        cache: None,
    });
    let vectors = (source.size() / 16) as u32;
    let count = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("halofold::measure::vectors"),
        contents: bytemuck::bytes_of(&[vectors; 4]),
        usage: BufferUsages::UNIFORM,
    });
    let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(&label),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: source.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: sink.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 2, resource: count.as_entire_binding() },
        ],
    });
    (pipeline, bindings)
}
