//! What the GPU tests share: one device, data with known answers, and a way to run a reduction on it.
#![allow(dead_code, unused_imports, reason = "each test program uses a part of it")]

mod buffers;
mod data;
mod fastest;
mod run;

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

pub use buffers::{POISON, buffer, in_one_pass, is_poison, poison, poisoned, read, room};
pub use data::{Data, Kind, Random, data};
use halofold::{adapter, wgpu};
pub use run::{job, missing, over, right, run, spanned};

/// Whether the adapter takes minutes to compile time-blocked stencils.
pub fn is_slow_to_compile() -> bool {
    fastest::is_slow_to_compile(&gpu().device.adapter_info().name)
}

/// The fastest variant of a stencil of those that the adapter compiles in time.
pub fn fastest(stencil: &halofold::stencil::Stencil) -> &'static halofold::stencil::Variant {
    fastest::fastest(stencil, &gpu().device.adapter_info().name)
}

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
    lesser(wgpu::Features::empty(), lower)
}

/// Another device of the same adapter, without some features.
pub fn without(features: wgpu::Features) -> Gpu {
    lesser(features, |_| ())
}

fn lesser(features: wgpu::Features, lower: impl FnOnce(&mut wgpu::Limits)) -> Gpu {
    gpu();
    let mut required_limits = adapter::helpful_limits(adapter());
    lower(&mut required_limits);
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("lesser"),
        required_features: (adapter().features() & adapter::HELPFUL_FEATURES) - features,
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
}
