//! The peak: the memory bandwidth of kernels that only read, or only copy.
//!
//! A GPU's memory speed does not change within minutes. A software adapter shares its memory with all
//! other programs, so its peak is measured again between rows.
use std::cell::Cell;
use std::time::{Duration, Instant};

use halofold::adapter;
use serde::{Deserialize, Serialize};
use wgpu::util::DeviceExt as _;
use wgpu::{BufferUsages, Device};

use crate::buffer::buffer;
use crate::compile::compile;
use crate::kernel::Kernel;
use crate::{Budget, MeasureError, Timer, Timing, significant};

/// The most bytes to measure over, more than any last-level cache holds.
const LARGEST: u64 = 1 << 29;

const LARGEST_ON_CPU: u64 = 1 << 26;

/// Workgroup sizes and counts to try for reading. The best one counts.
const READ: [(u32, u32); 4] = [(256, 1056), (256, 4224), (512, 1056), (1024, 528)];

/// The same on a CPU, where a workgroup is a loop of one thread and a try takes a second. Others were 2 to 13 % slower on Mesa's driver.
const READ_ON_CPU: [(u32, u32); 2] = [(256, 1056), (1024, 528)];

/// Workgroup sizes and vectors per invocation to try for copying.
const COPY: [(u32, u32); 7] = [(256, 1), (256, 2), (256, 4), (512, 1), (512, 2), (1024, 1), (128, 4)];

/// The same on a CPU, where others were 2 % slower.
const COPY_ON_CPU: [(u32, u32); 1] = [(256, 2)];

/// The longest time for which a measurement on a CPU stays valid.
const FRESH: Duration = Duration::from_millis(200);

/// Warm-up of a repeated measurement.
const AGAIN: Duration = Duration::from_millis(20);

/// Samples of a repeated measurement.
const FEW: u32 = 3;

/// The measured peak of this machine's memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// 10^9 bytes per second of a kernel that only reads.
    pub read_gb_per_s: f64,
    /// The same for a kernel that copies, counting bytes read and written.
    pub copy_gb_per_s: f64,
    /// Bytes that the kernels read or copied.
    pub bytes: u64,
    /// The clock of the times.
    pub timing: Timing,
}

impl Peak {
    pub(crate) fn rounded(self) -> Self {
        let [read_gb_per_s, copy_gb_per_s] = [self.read_gb_per_s, self.copy_gb_per_s].map(significant);
        Peak { read_gb_per_s, copy_gb_per_s, ..self }
    }
}

/// The peak of a device, updated while rows are measured.
#[derive(Debug)]
pub struct PeakMeter {
    peak: Cell<Peak>,
    /// The best kernel for reading and its time budget, to repeat on a software adapter.
    again: Option<(Bound, Budget)>,
    /// The time of the last measurement.
    last: Cell<Instant>,
}

impl PeakMeter {
    /// Measures the peak by several kernels. Takes about a second; allocates up to 1 GiB and frees it.
    pub fn new(timer: &Timer, budget: Budget) -> Result<Self, MeasureError> {
        let device = timer.device();
        let limits = device.limits();
        let software = adapter::is_software(&device.adapter_info());
        let bytes = Form::bytes(&limits, software);
        let source = pseudo_random(timer, bytes, BufferUsages::empty());
        let sink = |size| buffer(device, "halofold::measure::sink", size, BufferUsages::STORAGE);
        let [reading, copying] = Form::tried(&limits, software);
        // The read kernel needs a small output; a copy's is as large as its input.
        let read = best(timer, budget, &reading, &source, &sink(256))?;
        let copy = best(timer, budget, &copying, &source, &sink(bytes))?;
        let gb = bytes as f64 / 1e6;
        let peak = Peak {
            read_gb_per_s: gb / read.ms,
            copy_gb_per_s: 2.0 * gb / copy.ms,
            bytes,
            timing: read.timing,
        };
        let brief = Budget { warm_up_limit: AGAIN, ..budget.exactly(FEW) };
        let again = read.bound.filter(|_| software).map(|bound| (bound, brief));
        Ok(PeakMeter { peak: Cell::new(peak), again, last: Cell::new(Instant::now()) })
    }

    /// Returns the best measurement so far.
    pub fn peak(&self) -> Peak {
        self.peak.get()
    }

    /// Repeats the read measurement on a software adapter, unless the last one is recent. The best one counts.
    pub fn follow(&self, timer: &Timer) -> Result<(), MeasureError> {
        let again = self.again.as_ref().filter(|_| self.last.get().elapsed() > FRESH);
        let Some((bound, budget)) = again else { return Ok(()) };
        let (ms, peak) = (bound.measure(timer, *budget)?.0, self.peak.get());
        let read_gb_per_s = peak.read_gb_per_s.max(peak.bytes as f64 / 1e6 / ms);
        self.peak.set(Peak { read_gb_per_s, ..peak });
        self.last.set(Instant::now());
        Ok(())
    }
}

/// A kernel over two buffers of equal length: it reads the first at binding 0 and may write the second at binding 1. Binding 2 has the number
/// of 16-byte vectors, and of workgroups per row.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Form {
    /// `read` or `copy`.
    pub kernel: &'static str,
    /// Its WGSL.
    pub wgsl: &'static str,
    /// The values of its overrides.
    pub constants: [(&'static str, f64); 2],
    /// Workgroups in x and y.
    pub workgroups: [u32; 2],
}

impl Form {
    /// Returns the buffer size for a device with these limits.
    pub fn bytes(limits: &wgpu::Limits, software: bool) -> u64 {
        let most = if software { LARGEST_ON_CPU } else { LARGEST };
        most.min(limits.max_storage_buffer_binding_size).min(limits.max_buffer_size) / 256 * 256
    }

    /// Returns the forms to try on an adapter, for reading and for copying.
    pub fn tried(limits: &wgpu::Limits, software: bool) -> [Vec<Self>; 2] {
        let (read, copy) =
            if software { (&READ_ON_CPU[..], &COPY_ON_CPU[..]) } else { (&READ[..], &COPY[..]) };
        let vectors = Form::bytes(limits, software) / 16;
        [Form::reading(limits, read), Form::copying(limits, vectors, copy)]
    }

    /// Forms for reading: few invocations that stride over the buffer.
    fn reading(limits: &wgpu::Limits, tried: &[(u32, u32)]) -> Vec<Self> {
        let most = limits.max_compute_invocations_per_workgroup;
        let form = |&(size, groups): &(u32, u32)| Form {
            kernel: "read",
            wgsl: include_str!("../shaders/read.wgsl"),
            constants: [("WG", f64::from(size)), ("GROUPS", f64::from(groups))],
            workgroups: [groups, 1],
        };
        tried.iter().filter(|(size, _)| *size <= most).map(form).collect()
    }

    /// Forms for copying: one invocation per few vectors.
    fn copying(limits: &wgpu::Limits, vectors: u64, tried: &[(u32, u32)]) -> Vec<Self> {
        let most = limits.max_compute_invocations_per_workgroup;
        let form = |&(size, each): &(u32, u32)| {
            Some(Form {
                kernel: "copy",
                wgsl: include_str!("../shaders/copy.wgsl"),
                constants: [("WG", f64::from(size)), ("VECTORS", f64::from(each))],
                workgroups: folded(vectors.div_ceil(u64::from(size * each)), limits)?,
            })
        };
        tried.iter().filter(|(size, _)| *size <= most).filter_map(form).collect()
    }
}

impl From<&Form> for Kernel {
    fn from(form: &Form) -> Self {
        Kernel {
            wgsl: form.wgsl.to_owned(),
            entry_point: "main",
            overrides: form.constants.to_vec(),
            label: format!("halofold.measure.{}", form.kernel),
        }
    }
}

/// Folds at least `groups` workgroups into equal rows; `None` if the device allows fewer.
fn folded(groups: u64, limits: &wgpu::Limits) -> Option<[u32; 2]> {
    let most = u64::from(limits.max_compute_workgroups_per_dimension);
    let rows = groups.div_ceil(most).max(1);
    (rows <= most).then(|| [groups.div_ceil(rows).max(1) as u32, rows as u32])
}

/// Makes a buffer of pseudo-random words: memory full of zeros may be faster.
fn pseudo_random(timer: &Timer, bytes: u64, usage: BufferUsages) -> wgpu::Buffer {
    const SEED: usize = 1 << 20;
    let device = timer.device();
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | usage;
    let buffer = buffer(device, "halofold::measure::random", bytes, usage);
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

/// The best form and its median in milliseconds; infinite at first.
struct Best {
    bound: Option<Bound>,
    ms: f64,
    timing: Timing,
}

/// Finds the best form: tries all briefly, then measures the best.
fn best(
    timer: &Timer,
    budget: Budget,
    forms: &[Form],
    source: &wgpu::Buffer,
    sink: &wgpu::Buffer,
) -> Result<Best, MeasureError> {
    let few = budget.samples.min(7);
    let brief = Budget {
        samples: few,
        most_samples: few,
        warm_up: budget.warm_up / 8,
        warm_up_after_pause: budget.warm_up,
        warm_up_limit: budget.warm_up_limit / 4,
        total: budget.total / 4,
        ..budget
    };
    let mut best = Best { bound: None, ms: f64::INFINITY, timing: Timing::Wall };
    for form in forms {
        let bound = Bound::new(timer.device(), form, source, sink)?;
        let (ms, timing) = bound.measure(timer, brief)?;
        log::debug!("{} {:?}: {ms:.4} ms", form.kernel, form.constants);
        if ms < best.ms {
            best = Best { bound: Some(bound), ms, timing };
        }
    }
    // The peak is the best that was seen: if the clock drops now, the brief measurement counts.
    if let Some(bound) = &best.bound {
        best.ms = bound.measure(timer, budget)?.0.min(best.ms);
    }
    Ok(best)
}

#[derive(Debug)]
struct Bound {
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroup,
    workgroups: [u32; 2],
}

impl Bound {
    fn new(
        device: &Device,
        form: &Form,
        source: &wgpu::Buffer,
        sink: &wgpu::Buffer,
    ) -> Result<Self, MeasureError> {
        let pipeline = compile(device, &form.into())?;
        let vectors = (source.size() / 16) as u32;
        let size = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("halofold::measure::size"),
            contents: bytemuck::bytes_of(&[vectors, form.workgroups[0], 0, 0]),
            usage: BufferUsages::UNIFORM,
        });
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("halofold::measure::peak"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: source.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: sink.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 2, resource: size.as_entire_binding() },
            ],
        });
        Ok(Bound { pipeline, bindings, workgroups: form.workgroups })
    }

    fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.dispatch_workgroups(self.workgroups[0], self.workgroups[1], 1);
    }

    fn measure(&self, timer: &Timer, budget: Budget) -> Result<(f64, Timing), MeasureError> {
        let measured = timer.measure(budget, &|pass| self.record(pass))?;
        Ok((measured.summary().median, measured.timing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halofold::read::Readback;

    /// Sizes around a block of the largest form, in rows of few workgroups.
    #[test]
    fn every_form_copies_everything() {
        let adapter = pollster::block_on(adapter::preferred(true)).expect("an adapter");
        let (device, queue) = pollster::block_on(adapter::open(&adapter)).unwrap();
        let limits = wgpu::Limits { max_compute_workgroups_per_dimension: 70, ..device.limits() };
        let timer = Timer::new(&device, &queue);
        for vectors in [1, 1023, 1024, 1025, 70_001] {
            let source = pseudo_random(&timer, vectors * 16, BufferUsages::COPY_SRC);
            let expected = read(&device, &queue, &source);
            for form in Form::copying(&limits, vectors, &COPY) {
                let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
                let sink = buffer(&device, "a copy", vectors * 16, usage);
                let bound = Bound::new(&device, &form, &source, &sink).unwrap();
                timer.once(&|pass| bound.record(pass)).unwrap();
                assert!(read(&device, &queue, &sink) == expected, "{vectors} vectors by {form:?}");
            }
        }
    }

    fn read(device: &Device, queue: &wgpu::Queue, buffer: &wgpu::Buffer) -> Vec<u8> {
        let readback = Readback::new(device, buffer.size());
        let mut encoder = device.create_command_encoder(&Default::default());
        readback.encode(&mut encoder, buffer, 0, buffer.size()).unwrap();
        queue.submit([encoder.finish()]);
        readback.wait(buffer.size()).unwrap()
    }
}
