//! What the GPU tests share: one device, data with known answers, and a way to run a reduction on it.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use halofold::reduce::ladder::{Finish, Rung};
use halofold::reduce::{Answer, Arity, Input, Op, Output, Reducer, Shape, Source, Workspace, reference};
use halofold::{Element, adapter};
use halofold::{read::Readback, wgpu};
use halofold_measure::Job;
use wgpu::util::DeviceExt as _;

/// What the Vulkan validation layers, where they are installed, have found fault with.
static COMPLAINTS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Collects what wgpu logs as errors: the layers speak through the log alone.
struct Layers;

impl log::Log for Layers {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.level() == log::Level::Error
    }

    fn log(&self, record: &log::Record<'_>) {
        let text = record.args().to_string();
        if self.enabled(record.metadata()) && record.target().starts_with("wgpu_hal") && text.contains("VUID")
        {
            COMPLAINTS.lock().unwrap().push(text);
        }
    }

    fn flush(&self) {}
}

pub struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
}

/// The device of this test process: the best adapter that the environment allows.
pub fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| {
        let _ = log::set_logger(&Layers).map(|()| log::set_max_level(log::LevelFilter::Error));
        let info = adapter().get_info();
        eprintln!("adapter: {} ({}, {} {})", info.name, info.backend, info.driver, info.driver_info);
        let (device, queue) = pollster::block_on(adapter::open(adapter())).expect("the adapter opens");
        Gpu { device, queue }
    })
}

/// Held by each test of a program whose tests would run side by side: wgpu gives up when threads wait long for the one
/// context that a device on GL has.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Another device of the same adapter, with less of everything that `lower` lowers.
pub fn limited(lower: impl FnOnce(&mut wgpu::Limits)) -> Gpu {
    gpu();
    let mut required_limits = adapter::helpful_limits(adapter());
    lower(&mut required_limits);
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("limited"),
        required_features: adapter().features() & adapter::HELPFUL_FEATURES,
        required_limits,
        ..Default::default()
    };
    let (device, queue) =
        pollster::block_on(adapter().request_device(&descriptor)).expect("the adapter opens with less");
    Gpu { device, queue }
}

fn adapter() -> &'static wgpu::Adapter {
    static ADAPTER: OnceLock<wgpu::Adapter> = OnceLock::new();
    ADAPTER.get_or_init(|| {
        pollster::block_on(adapter::preferred(true)).expect(
            "no adapter: on Linux install a Vulkan driver (Debian: apt-get install mesa-vulkan-drivers)",
        )
    })
}

impl Gpu {
    /// Runs `work` and fails if wgpu found fault with anything in it.
    pub fn watched<T>(&self, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let result = work();
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(error.to_string());
        }
        // Trials run side by side, so a complaint may be another trial's: one of them fails, and shows it.
        match std::mem::take(&mut *COMPLAINTS.lock().unwrap()) {
            complaints if complaints.is_empty() => result,
            complaints => Err(complaints.join("\n")),
        }
    }

    /// A buffer of so many elements at `offset`, with poison in front and behind.
    pub fn poisoned(&self, bytes: &[u8], offset: u64) -> wgpu::Buffer {
        let end = offset as usize + bytes.len();
        let mut contents = vec![0xAB; (end + 64).next_multiple_of(16)];
        contents[offset as usize..end].copy_from_slice(bytes);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("test input"),
            size: contents.len() as u64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue.write_buffer(&buffer, 0, &contents);
        buffer
    }

    /// Records and runs something twice in one submission: the bytes at `offset` of the output after each.
    ///
    /// Both find poison there; and the second finds scratch memory and ticket counters as the first one left them.
    pub fn twice(
        &self,
        output: &wgpu::Buffer,
        offset: u64,
        size: u64,
        record: impl Fn(&mut wgpu::CommandEncoder),
    ) -> Result<[Vec<u8>; 2], String> {
        let poison = self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("test poison"),
            contents: &vec![0xCD; size as usize],
            usage: wgpu::BufferUsages::COPY_SRC,
        });
        let results = Readback::new(&self.device, 2 * size);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        for run in 0..2 {
            encoder.copy_buffer_to_buffer(&poison, 0, output, offset, size);
            record(&mut encoder);
            let copied = results.encode_behind(run * size, &mut encoder, output, offset, size);
            copied.map_err(|error| error.to_string())?;
        }
        self.queue.submit([encoder.finish()]);
        let mut first = results.wait(&self.device, 2 * size).map_err(|error| error.to_string())?;
        let second = first.split_off(size as usize);
        Ok([first, second])
    }
}

/// A compiled rung with an output that is poisoned before each run.
pub struct Bench {
    pub job: Job,
    reducer: Reducer,
    output: wgpu::Buffer,
}

/// Room for what the largest test leaves to the host.
const OUTPUT: u64 = 1 << 22;

impl Bench {
    pub fn new(job: Job) -> Result<Self, String> {
        let device = &gpu().device;
        let compile = || {
            let reducer = job.reducer(device).map_err(|error| error.to_string())?;
            reducer.compile(device);
            Ok(reducer)
        };
        Ok(Bench {
            job,
            reducer: gpu().watched(compile)?,
            output: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("test output"),
                size: OUTPUT,
                usage: wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::COPY_SRC
                    | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
        })
    }

    /// Reduces `len` elements at byte `offset` and returns the answer and the plan's depth. An operator of two inputs takes the
    /// elements twice.
    pub fn run(&self, buffer: &wgpu::Buffer, offset: u64, len: u64) -> Result<(Answer, u64), String> {
        gpu().watched(|| self.run_twice(buffer, offset, len))
    }

    fn run_twice(&self, buffer: &wgpu::Buffer, offset: u64, len: u64) -> Result<(Answer, u64), String> {
        let gpu = gpu();
        let Job { op, element, finish, .. } = self.job;
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let plan = self.job.plan(offset, len, &gpu.device.limits()).map_err(|error| text(&error))?;
        let workspace = Workspace::new(&gpu.device, &plan);
        let output = Output { buffer: &self.output, offset: 256 };
        let input = [Input { buffer, offset, len }];
        let is_pair = self.reducer.monoid().arity() == Arity::Two;
        let source = if is_pair { Source::pairs(&input, input[0]) } else { Source::of(&input) };
        let prepared = self.reducer.prepare(&gpu.device, source, Shape::Whole, output, &workspace);
        let prepared = prepared.map_err(|error| text(&error))?;
        let runs = gpu.twice(&self.output, 256, plan.output, |encoder| prepared.encode(encoder))?;
        let [first, second] = runs.map(|bytes| {
            if plan.leaves_partials() {
                reference::combine(op, element, &bytes, len).unwrap()
            } else {
                op.read(element, &bytes)[0]
            }
        });
        if finish != Finish::Atomic && !first.same(second) {
            return Err(format!("the second run gave {second}, the first {first}"));
        }
        Ok((second, plan.depth()))
    }
}

/// Takes nothing but `Right`: a reference that leaves a result open has not checked it.
pub fn right(verdict: reference::Verdict) -> Result<(), String> {
    match verdict {
        reference::Verdict::Right => Ok(()),
        reference::Verdict::Wrong(mismatch) => Err(mismatch.to_string()),
        reference::Verdict::Undecided => Err("the reference leaves it open".to_owned()),
    }
}

/// A job with the tuning that halofold itself would use, at another workgroup size.
pub fn job(rung: &'static Rung, op: Op, element: Element, finish: Finish, workgroup_size: u32) -> Job {
    let job = Job::new(rung, op, element, &gpu().device.limits(), u64::MAX).expect("the pair is defined");
    Job { tuning: job.tuning.with_workgroup_size(workgroup_size), finish, ..job }
}

/// Bytes with the alignment of the largest element.
pub struct Data(Vec<u64>, usize);

impl Data {
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..self.1]
    }

    /// Changes every element: from its place, its bits and a random word to other bits.
    pub fn change(&mut self, element: Element, mut to: impl FnMut(usize, u64, u64) -> u64) {
        let mut random = Random::new(self.1 as u64);
        let size = element.size() as usize;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.0);
        for (i, slot) in bytes[..self.1].chunks_exact_mut(size).enumerate() {
            let mut bits = [0; 8];
            bits[..size].copy_from_slice(slot);
            let bits = to(i, u64::from_le_bytes(bits), random.next());
            slot.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
}

/// Pseudo-random words: small, known, the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(2).wrapping_add(1))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0;
        (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (x >> 17)
    }
}

/// The kinds of data a reduction is tested on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every bit pattern of an integer; floats spread over a few magnitudes and both signs.
    Random,
    /// One value everywhere.
    Constant,
    /// Small integers, which floats add without rounding; powers of two for products.
    Dyadic,
    /// The largest, the smallest, and both zeros.
    Extremes,
    /// A NaN among ordinary floats (integers: all ones).
    Nan,
}

pub fn data(kind: Kind, op: Op, element: Element, len: usize, seed: u64) -> Data {
    let mut random = Random::new(seed ^ len as u64);
    let size = element.size() as usize;
    let mut words = vec![0u64; (len * size).div_ceil(8)];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
    let product = matches!(op, Op::Product | Op::WideProduct);
    for (i, slot) in bytes[..len * size].chunks_exact_mut(size).enumerate() {
        let word = random.next();
        let bits = if element.is_float() {
            let x = float(kind, product, len, i, word);
            match element {
                Element::F16 => u64::from(half::f16::from_f64(x).to_bits()),
                Element::F32 => u64::from((x as f32).to_bits()),
                _ => x.to_bits(),
            }
        } else {
            integer(kind, product, word)
        };
        slot.copy_from_slice(&bits.to_le_bytes()[..size]);
    }
    Data(words, len * size)
}

fn integer(kind: Kind, product: bool, word: u64) -> u64 {
    match kind {
        // An even factor somewhere would soon make every product zero.
        Kind::Random => word | u64::from(product),
        Kind::Constant => 3,
        Kind::Dyadic => word % 5,
        Kind::Extremes => {
            [0, 1, u64::MAX, 1 << 31, (1 << 31) - 1, 1 << 63, (1 << 63) - 1][(word % 7) as usize]
        }
        Kind::Nan => u64::MAX,
    }
}

fn float(kind: Kind, product: bool, len: usize, i: usize, word: u64) -> f64 {
    let unit = (word >> 11) as f64 / (1u64 << 53) as f64;
    let sign = if word & 1 == 0 { 1.0 } else { -1.0 };
    match kind {
        // Products stay near one, so that neither the large nor the small factors alone leave the range.
        Kind::Random if product => sign * (1.0 + (unit - 0.5) * 16.0 / (len as f64 + 16.0)),
        Kind::Random => sign * unit * (1 << (word % 7)) as f64,
        Kind::Constant if product => 1.0,
        Kind::Constant => 0.1,
        Kind::Dyadic if product => sign * if i.is_multiple_of(1 + len / 20) { 2.0 } else { 1.0 },
        Kind::Dyadic => (word % 9) as f64 - 4.0,
        Kind::Extremes => [f64::INFINITY, 0.0, -0.0, 1.0, -1.0, 0.25][(word % 6) as usize],
        Kind::Nan if i == len / 2 => f64::NAN,
        Kind::Nan => unit,
    }
}

/// What the device is, for the names of skipped tests.
pub fn missing(job: &Job) -> Option<String> {
    let device = &gpu().device;
    job.check(device.features(), &device.limits()).err().map(|error| error.to_string())
}
