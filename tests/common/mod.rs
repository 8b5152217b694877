//! Parts that the GPU tests share: one device, data with known answers, and a way to run a reduction on it.
#![allow(dead_code, unused_imports, reason = "each test program uses a part of it")]

mod buffers;
mod run;
mod twice;

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::{LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

pub use buffers::{POISON, buffer, held, in_one_pass, is_poison, poison, poisoned, read, room};
use halofold::{Compiled, Operation, Options, adapter, wgpu};
pub use halofold_cases::{
    Data, Kind, Random, bits_of, compile, data, decode, elements, encode, exact as oracle, gather,
};
pub use run::{job, missing, over, right, run, shaped, spanned};
pub use twice::{Outputs, twice_in_a_pass};

/// True if the adapter is a program on the CPU, whose compiler takes most of a test's time.
pub fn is_software() -> bool {
    adapter().get_info().device_type == wgpu::DeviceType::Cpu
}

/// True if `HALOFOLD_TESTS` is this word.
fn tests_are(word: &str) -> bool {
    std::env::var("HALOFOLD_TESTS").is_ok_and(|tests| tests == word)
}

/// True if only the sample is run that adapters beside lavapipe run.
pub fn is_sampled() -> bool {
    tests_are("sample")
}

/// True on a software adapter, unless `HALOFOLD_TESTS=all`.
pub fn takes_fewer() -> bool {
    is_software() && !tests_are("all")
}

/// Every `step`th case on a software adapter, from `turn` on; all on a GPU, and with `HALOFOLD_TESTS=all`. A turn that moves with another
/// table's index combines all cases with some of the other's. There have to be at least `step` cases.
pub fn in_turn<T>(cases: impl IntoIterator<Item = T>, step: usize, turn: usize) -> impl Iterator<Item = T> {
    let step = if takes_fewer() { step } else { 1 };
    cases.into_iter().skip(turn % step).step_by(step)
}

/// True if the adapter takes minutes to compile time-blocked stencils.
pub fn is_slow_to_compile() -> bool {
    halofold_cases::is_slow_to_compile(&adapter().get_info().name)
}

/// The fastest variant of a stencil of those that the adapter compiles in time.
pub fn fastest(stencil: &halofold::stencil::Stencil) -> &'static halofold::stencil::Variant {
    halofold_cases::fastest_on(&adapter().get_info().name)(stencil)
}

/// The complaints of the Vulkan validation layers, if these are installed.
static COMPLAINTS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Collects what wgpu logs as errors, since the layers speak through the log alone, and the library's messages about compilation.
struct Listener;

std::thread_local! {
    /// Kernels that the library compiled on this thread.
    static COMPILED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Counts the kernels that `work` compiles on this thread.
pub fn compiled<T>(work: impl FnOnce() -> T) -> (usize, T) {
    adapter();
    COMPILED.take();
    let result = work();
    (COMPILED.take().len(), result)
}

impl log::Log for Listener {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.level() == log::Level::Error || metadata.target().starts_with("halofold")
    }

    fn log(&self, record: &log::Record<'_>) {
        // Whatever else is logged may not take memory: tests count what recording asks for.
        if !self.enabled(record.metadata()) {
            return;
        }
        let (text, target) = (record.args().to_string(), record.target());
        if target.starts_with("halofold") {
            COMPILED.with_borrow_mut(|compiled| compiled.push(text));
        } else if target.starts_with("wgpu_hal") && text.contains("VUID") {
            COMPLAINTS.lock().unwrap().push(text);
        }
    }

    fn flush(&self) {}
}

pub struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
}

/// A device of the best allowed adapter: one per test thread, since software adapters compile a device's kernels one after the other. On GL
/// one for all, for one test at a time: wgpu gives up when threads wait long for its context.
pub fn gpu() -> &'static Gpu {
    thread_local! { static MINE: Loan = Loan::new(); }
    MINE.with(|loan| loan.gpu)
}

/// A device in use by a thread. When the thread ends, another one gets it.
struct Loan {
    gpu: &'static Gpu,
    _alone: Option<MutexGuard<'static, ()>>,
}

/// The devices that no thread uses.
static FREE: Mutex<Vec<&'static Gpu>> = Mutex::new(Vec::new());

impl Loan {
    fn new() -> Loan {
        static ALONE: Mutex<()> = Mutex::new(());
        let is_gl = adapter().get_info().backend == wgpu::Backend::Gl;
        let alone = is_gl.then(|| ALONE.lock().unwrap_or_else(PoisonError::into_inner));
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let open = || {
            let (device, queue) = pollster::block_on(adapter::open(adapter())).expect("the adapter opens");
            &*Box::leak(Box::new(Gpu { device, queue }))
        };
        Loan { gpu: free.unwrap_or_else(open), _alone: alone }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        FREE.lock().unwrap_or_else(PoisonError::into_inner).push(self.gpu);
    }
}

/// Another device, opened on first use, that tests share.
pub struct Shared(LazyLock<Gpu>);

impl Shared {
    pub const fn new(open: fn() -> Gpu) -> Self {
        Shared(LazyLock::new(open))
    }
}

impl Deref for Shared {
    type Target = Gpu;

    /// On GL threads take turns, each with its own device. Whoever waits for this one to be opened must have its turn, or both wait for ever.
    fn deref(&self) -> &Gpu {
        gpu();
        &self.0
    }
}

/// Another device of the same adapter, with less of everything that `lower` lowers.
pub fn limited(lower: impl FnOnce(&mut wgpu::Limits)) -> Gpu {
    lesser(wgpu::Features::empty(), lower)
}

/// Another device of the same adapter, with workgroups of sixteen invocations, and bindings of at most `binding` bytes.
pub fn with_few_invocations(binding: u64) -> Gpu {
    limited(|limits| {
        limits.max_compute_invocations_per_workgroup = 16;
        limits.max_compute_workgroup_size_x = 16;
        limits.max_storage_buffer_binding_size = binding;
    })
}

/// Another device of the same adapter, without some features.
pub fn without(features: wgpu::Features) -> Gpu {
    lesser(features, |_| ())
}

/// Another device of the same adapter as a cautious application would open it: no features, and the limits of old GPUs but for these.
pub fn cautious(change: impl FnOnce(&mut wgpu::Limits)) -> Gpu {
    let mut limits = wgpu::Limits::downlevel_defaults();
    change(&mut limits);
    open(wgpu::Features::empty(), limits)
}

fn lesser(features: wgpu::Features, lower: impl FnOnce(&mut wgpu::Limits)) -> Gpu {
    gpu();
    let mut limits = adapter().limits();
    lower(&mut limits);
    open((adapter().features() & adapter::HELPFUL_FEATURES) - features, limits)
}

fn open(required_features: wgpu::Features, required_limits: wgpu::Limits) -> Gpu {
    let descriptor = wgpu::DeviceDescriptor { required_features, required_limits, ..Default::default() };
    let opened = pollster::block_on(adapter().request_device(&descriptor));
    let (device, queue) = opened.expect("the adapter opens with less");
    Gpu { device, queue }
}

fn adapter() -> &'static wgpu::Adapter {
    static ADAPTER: OnceLock<wgpu::Adapter> = OnceLock::new();
    ADAPTER.get_or_init(|| {
        let _ = log::set_logger(&Listener).map(|()| log::set_max_level(log::LevelFilter::Debug));
        let adapter = pollster::block_on(adapter::preferred(true)).expect(
            "no adapter: on Linux install a Vulkan driver (Debian: apt-get install mesa-vulkan-drivers)",
        );
        let info = adapter.get_info();
        eprintln!("adapter: {} ({}, {} {})", info.name, info.backend, info.driver, info.driver_info);
        adapter
    })
}

impl Gpu {
    /// Compiles an operation that the device supports, with the kernels that GPUs run, on software adapters, too.
    #[track_caller]
    pub fn compile<O: Operation>(&self, operation: O) -> Compiled<O> {
        let options = Options::default().counting_in_workgroups(true);
        Compiled::new(&self.device, operation, &options).unwrap()
    }

    /// Records commands and submits them.
    pub fn submit(&self, record: impl FnOnce(&mut wgpu::CommandEncoder)) {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        record(&mut encoder);
        self.queue.submit([encoder.finish()]);
    }

    /// Runs `work` and panics if wgpu found fault with anything in it.
    #[track_caller]
    pub fn clean<T>(&self, work: impl FnOnce() -> T) -> T {
        self.watched(|| Ok(work())).unwrap()
    }

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
}
