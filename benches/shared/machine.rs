//! The adapter a bench runs on, opened once.

use std::env;

use halofold::measure::{self, Budget, Peak, Timer, Timing};
use halofold::{adapter, wgpu};

/// How far the sizes go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// A processor that plays a GPU: small.
    Software,
    /// A GPU.
    Gpu,
    /// `HALOFOLD_BENCH=full`: everything.
    Full,
}

/// An open device and what its memory can do.
pub struct Machine {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// What the adapter says of itself.
    pub info: wgpu::AdapterInfo,
    /// Measures on it.
    pub timer: Timer,
    /// Its ceiling.
    pub peak: Peak,
}

impl Machine {
    /// Opens the preferred adapter (`WGPU_BACKEND` narrows the choice), measures its peak and says so.
    pub fn open() -> Self {
        let adapter = pollster::block_on(adapter::preferred(false)).expect(
            "no GPU adapter found: install a Vulkan driver (Debian and Ubuntu: apt-get install mesa-vulkan-drivers)",
        );
        let (device, queue) = pollster::block_on(adapter::open(&adapter)).expect("the adapter opens");
        let info = adapter.get_info();
        let timer = Timer::new(&device, &queue);
        let peak = measure::peak(&timer, Budget::of(&device)).expect("the peak is measured");
        let clock = match peak.timing {
            Timing::Gpu => "GPU timestamps",
            Timing::Wall => "wall clock: no GPU timestamps here",
        };
        eprintln!("{} ({}), driver {} {}", info.name, info.backend, info.driver, info.driver_info);
        eprintln!(
            "read peak {:.1} GB/s, copy peak {:.1} GB/s over {} MiB; times: {clock}\n",
            peak.read_gb_per_s,
            peak.copy_gb_per_s,
            peak.bytes >> 20
        );
        Machine { device, queue, info, timer, peak }
    }

    /// How far the sizes go here.
    pub fn extent(&self) -> Extent {
        match env::var("HALOFOLD_BENCH").as_deref() {
            Ok("full") => Extent::Full,
            _ if adapter::is_software(&self.info) => Extent::Software,
            _ => Extent::Gpu,
        }
    }

    /// A folder's name for the adapter and its back end.
    pub fn folder(&self) -> String {
        let name = format!("{} {}", self.info.backend, self.info.name).to_lowercase();
        let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("-")
    }
}
