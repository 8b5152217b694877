//! How fast this GPU counts keys, beside a kernel that only reads them.
//!
//! `cargo run --release --example histogram_speed` takes 2^24, 2^26 and 2^28 random and equal keys (2^20 on a software
//! adapter) in 16, 256, 4096 and 65 536 bins, with halofold's own tuning, verifies every result, and prints microseconds, GB/s and
//! the share of what this memory can be read at. Arguments, any of them:
//!
//! ```text
//! --bins 256,1000   --log2 24,28   --floats         bins; lengths as powers of two; equal ranges of floats
//! --copies 32,16    --slices 1     --merge yes,no   --storage
//! --workgroup 1024  --workgroups 264,528            --unchecked
//! ```
//!
//! Where several values are given all combinations are tried; tunings that the device cannot run are left out.

mod arguments;

use arguments::Arguments;
use halofold::histogram::{Histogram, Job, Keys, Method, Options, Prepared, Tuning, reference};
use halofold::read::Readback;
use halofold::{adapter, wgpu};
use halofold_measure::{Budget, Timer, peak};

type Failure = Box<dyn std::error::Error>;

/// Random keys repeat after so many: the CPU need count no more.
const PERIOD: usize = 1 << 20;

/// The arguments with values, and those without.
const LISTS: [&str; 7] = ["bins", "log2", "copies", "slices", "merge", "workgroup", "workgroups"];
const SWITCHES: [&str; 3] = ["floats", "storage", "unchecked"];

fn main() -> Result<(), Failure> {
    let wanted = Wanted(Arguments::read(std::env::args().skip(1), &LISTS, &SWITCHES)?);
    let adapter = pollster::block_on(adapter::preferred(false)).ok_or("no adapter")?;
    let (device, queue) = pollster::block_on(adapter::open(&adapter))?;
    let timer = Timer::new(&device, &queue);
    let budget = Budget { samples: 15, ..Budget::of(&device) };
    let peak = peak(&timer, budget)?;
    println!("{}: read peak {:.0} GB/s", adapter.get_info().name, peak.read_gb_per_s);
    let software = adapter::is_software(&adapter.get_info());
    let lengths = wanted.0.list("log2", if software { &[20] } else { &[24, 26, 28] })?;
    for bins in wanted.0.list("bins", &[16, 256, 4096, 65_536])? {
        for log2 in &lengths {
            for kind in ["random", "equal"] {
                let keys = wanted.keys(bins);
                let data = Data::new(&timer, keys, bins, 1 << log2, kind)?;
                for tuning in wanted.tunings(&device.limits(), bins)? {
                    let job = Job::new(keys, bins, &device.limits()).with_tuning(tuning);
                    if job.check(&device.limits()).is_err() {
                        continue;
                    }
                    let prepared = wanted.compile(&device, job)?.of(&data.keys).into(&data.counts)?;
                    data.verify(&timer, &prepared)?;
                    let measured = timer.measure(budget, &|pass| prepared.encode_in_pass(pass))?;
                    let us = 1e3 * measured.summary().median;
                    let gb_per_s = data.keys.size() as f64 / 1e3 / us;
                    println!(
                        "{bins:6} bins 2^{log2} {kind:6} {:24} {:4} x {:5}  {us:10.1} us  {gb_per_s:7.1} GB/s  {:5.1} % of read  {}",
                        name(tuning.method),
                        tuning.workgroup_size,
                        tuning.max_workgroups,
                        100.0 * gb_per_s / peak.read_gb_per_s,
                        measured.timing.name(),
                    );
                }
            }
        }
    }
    Ok(())
}

fn name(method: Method) -> String {
    match method {
        Method::Workgroup { copies, slices, merge } => {
            format!("{copies:2} copies {slices} slices {}", if merge { "merge" } else { "" })
        }
        _ => "storage".to_owned(),
    }
}

/// What the arguments ask for.
struct Wanted(Arguments);

impl Wanted {
    fn keys(&self, bins: u32) -> Keys {
        if self.0.has("floats") { Keys::Ranges { low: 0.0, high: bins as f32 } } else { Keys::Numbers }
    }

    /// The usual tuning, and in its place whatever the arguments name.
    fn tunings(&self, limits: &wgpu::Limits, bins: u32) -> Result<Vec<Tuning>, Failure> {
        let usual = Tuning::of(limits, bins, u64::MAX);
        let mut methods = Vec::new();
        if self.0.has("storage") {
            methods.push(Method::Storage);
        }
        if let Method::Workgroup { copies, slices, merge } = usual.method {
            let usual_merge = if merge { "yes" } else { "no" }.to_owned();
            for copies in self.0.list("copies", &[copies])? {
                for slices in self.0.list("slices", &[slices])? {
                    for merge in self.0.list("merge", std::slice::from_ref(&usual_merge))? {
                        methods.push(Method::Workgroup { copies, slices, merge: merge == "yes" });
                    }
                }
            }
        }
        if methods.is_empty() {
            methods.push(usual.method);
        }
        let mut tunings = Vec::new();
        for method in methods {
            for workgroup_size in self.0.list("workgroup", &[usual.workgroup_size])? {
                let filling = usual.max_workgroups * usual.workgroup_size / workgroup_size.max(1);
                for max_workgroups in self.0.list("workgroups", &[filling])? {
                    let tuning =
                        usual.with_workgroup_size(workgroup_size).with_max_workgroups(max_workgroups);
                    tunings.push(tuning.with_method(method));
                }
            }
        }
        Ok(tunings)
    }

    fn compile(&self, device: &wgpu::Device, job: Job) -> Result<Histogram, Failure> {
        if self.0.has("unchecked") {
            // SAFETY: the kernels stay inside of their buffers whatever the keys are.
            return Ok(unsafe { Histogram::unchecked(device, job, Options::default()) }?);
        }
        Ok(Histogram::with_job(device, job, Options::default())?)
    }
}

/// Keys on the GPU, and what they must give.
struct Data {
    keys: wgpu::Buffer,
    counts: wgpu::Buffer,
    want: Vec<u32>,
}

impl Data {
    fn new(timer: &Timer, keys: Keys, bins: u32, len: usize, kind: &str) -> Result<Self, Failure> {
        let device = timer.device();
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (((state >> 32) * u64::from(bins)) >> 32) as u32
        };
        let period = PERIOD.min(len);
        let numbers = (0..period).map(|_| if kind == "equal" { bins / 2 } else { random() });
        let words: Vec<u32> = match keys {
            Keys::Numbers => numbers.collect(),
            _ => numbers.map(|number| (number as f32 + 0.5).to_bits()).collect(),
        };
        let repeats = (len / period) as u32;
        let want = reference::counts(keys, bins, &words).iter().map(|count| count * repeats).collect();
        let buffer = |size, usage| {
            let usage = usage | wgpu::BufferUsages::STORAGE;
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let keys = buffer(4 * len as u64, wgpu::BufferUsages::COPY_DST);
        for at in (0..keys.size()).step_by(4 * period) {
            timer.queue().write_buffer(&keys, at, bytemuck::cast_slice(&words));
        }
        let counts = buffer(4 * u64::from(bins), wgpu::BufferUsages::COPY_SRC);
        Ok(Data { keys, counts, want })
    }

    fn verify(&self, timer: &Timer, prepared: &Prepared) -> Result<(), Failure> {
        let device = timer.device();
        let readback = Readback::new(device, self.counts.size());
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        prepared.encode(&mut encoder);
        readback.encode(&mut encoder, &self.counts, 0, self.counts.size())?;
        timer.queue().submit([encoder.finish()]);
        let got = readback.wait(self.counts.size())?;
        if got != bytemuck::cast_slice::<u32, u8>(&self.want) {
            return Err(format!("wrong counts: {:?}", prepared.plan()).into());
        }
        Ok(())
    }
}
