//! Comparing two buffers on the GPU, however large; see `shaders/measure/differ.wgsl`.

use wgpu::{Buffer, BufferUsages, CommandEncoder, Device, Queue};

use crate::binding::{self, slice};
use crate::dispatch::{self, Dispatch, Recorder};
use crate::pipeline::{self, Checks, Kernel};
use crate::read::{ReadError, Readback};
use crate::shader::piece;
use crate::window::{self, Window};

/// The comparison's workgroups, where a device has as many in a row, and invocations in each.
const SHAPE: (u32, u32) = (1024, 64);

/// Bytes of a window's two counts.
const COUNTS: u64 = 8;

/// What the kernel is given: `Part` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
struct Part {
    words: u32,
    slot: u32,
}

/// Compares buffers with one that holds what they should.
#[derive(Debug)]
pub(super) struct Differ {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    groups: u32,
    expected: Buffer,
    windows: Vec<Window>,
    parts: Buffer,
    counts: Buffer,
    readback: Readback,
}

impl Differ {
    /// `expected` has whole words.
    pub(super) fn new(device: &Device, expected: Buffer) -> Self {
        let limits = device.limits();
        let groups = SHAPE.0.min(limits.max_compute_workgroups_per_dimension);
        let (pipeline, layout) = pipeline::compile(
            device,
            Kernel {
                label: "halofold::measure::differ",
                wgsl: piece("measure/differ").to_owned(),
                entry_point: "main",
                slots: &[0, 1, 2, 3],
                overrides: &[("GROUPS", f64::from(groups)), ("WG", f64::from(SHAPE.1))],
                cache: None,
                checks: Checks::On,
            },
        );
        let align = u64::from(limits.min_storage_buffer_offset_alignment);
        let largest = limits.max_storage_buffer_binding_size.min(1 << 31) / align * align;
        let windows = window::cut(0, expected.size() / 4, 4, largest, align);
        let parts: Vec<_> =
            (0..).zip(&windows).map(|(at, window)| Part { words: window.len, slot: 2 * at }).collect();
        let parts = binding::blocks(parts.iter());
        let size = COUNTS * windows.len() as u64;
        let counts = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("halofold::measure::counts"),
            size,
            usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Differ {
            pipeline,
            layout,
            groups,
            expected,
            windows,
            parts: binding::filled(device, "halofold::measure::parts", &parts, BufferUsages::UNIFORM),
            counts,
            readback: Readback::new(device, size),
        }
    }

    /// The dispatches that compare a buffer.
    pub(super) fn bind(&self, device: &Device, found: &Buffer) -> Vec<Dispatch> {
        let bind = |(index, window): (usize, &Window)| {
            let Window { start, size, .. } = *window;
            let resources = [
                slice(found, start, size),
                self.counts.as_entire_binding(),
                binding::block::<Part>(&self.parts, binding::block_offset(index)),
                slice(&self.expected, start, size),
            ];
            Dispatch {
                pipeline: self.pipeline.clone(),
                bindings: binding::bind(
                    device,
                    "halofold::measure::differ",
                    &self.layout,
                    (0..).zip(resources),
                ),
                grid: [self.groups, 1],
            }
        };
        self.windows.iter().enumerate().map(bind).collect()
    }

    /// Adds a comparison to what is recorded, submits it all and waits: how many words differ, and which is the first;
    /// `None` if none does.
    pub(super) fn run(
        &self,
        device: &Device,
        queue: &Queue,
        mut encoder: CommandEncoder,
        comparison: &[Dispatch],
    ) -> Result<Option<(u64, u64)>, ReadError> {
        encoder.clear_buffer(&self.counts, 0, None);
        let mut pass = dispatch::begin(&mut encoder, "halofold::measure::differ");
        Recorder::new(&mut pass).record(comparison);
        drop(pass);
        self.readback.encode(&mut encoder, &self.counts, 0, self.counts.size())?;
        queue.submit([encoder.finish()]);
        let bytes = self.readback.wait(device, self.counts.size())?;
        let counts: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        let mut found = self.windows.iter().zip(counts.chunks_exact(2)).filter(|(_, counts)| counts[0] != 0);
        let Some((window, first)) = found.next() else { return Ok(None) };
        let words = u64::from(first[0]) + found.map(|(_, counts)| u64::from(counts[0])).sum::<u64>();
        Ok(Some((words, window.start / 4 + u64::from(window.len - first[1]))))
    }
}
