//! The adapter a bench runs on, opened once.

use std::env;

use halofold::{adapter, wgpu};
use halofold_measure::{Budget, Inputs, Meter, PeakMeter, Timer, Timing};

/// Range of sizes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// A software adapter: small.
    Software,
    /// A GPU.
    Gpu,
    /// `HALOFOLD_BENCH=full`: everything.
    Full,
}

/// An open device and its memory's peak.
pub struct Machine {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// Measures on it.
    pub timer: Timer,
    /// Its ceiling.
    pub peak: PeakMeter,
    /// The inputs of repetitions: with `HALOFOLD_COLD=1`, copies in turn.
    pub inputs: Inputs,
    /// The range of sizes.
    pub extent: Extent,
}

impl Machine {
    /// Opens the preferred adapter (`WGPU_BACKEND` narrows the choice), measures its peak and says so.
    ///
    /// `HALOFOLD_CLOCK=wall` takes the host's clock where the GPU has one of its own.
    pub fn open() -> Self {
        let adapter = pollster::block_on(adapter::preferred(false))
            .expect("no GPU adapter found: `halofold devices` says what to do");
        let (device, queue) = pollster::block_on(adapter::open(&adapter)).expect("the adapter opens");
        let info = adapter.get_info();
        let wall = option("HALOFOLD_CLOCK", &["gpu", "wall"]) == 1;
        let timer = if wall { Timer::wall(&device, &queue) } else { Timer::new(&device, &queue) };
        let inputs = [Inputs::Warm, Inputs::Cold][option("HALOFOLD_COLD", &["0", "1"])];
        let extent = match option("HALOFOLD_BENCH", &["usual", "full"]) {
            1 => Extent::Full,
            _ if adapter::is_software(&info) => Extent::Software,
            _ => Extent::Gpu,
        };
        let meter = PeakMeter::new(&timer, Budget::of(&device)).expect("the peak is measured");
        let peak = meter.peak();
        let clock = match peak.timing {
            Timing::Gpu => "GPU timestamps",
            Timing::Wall if wall => "wall clock",
            Timing::Wall => "wall clock: no GPU timestamps here",
        };
        eprintln!("{} ({}), driver {} {}", info.name, info.backend, info.driver, info.driver_info);
        eprintln!(
            "read peak {:.1} GB/s, copy peak {:.1} GB/s over {} MiB; inputs: {}; times: {clock}\n",
            peak.read_gb_per_s,
            peak.copy_gb_per_s,
            peak.bytes >> 20,
            inputs.name()
        );
        Machine { device, queue, timer, peak: meter, inputs, extent }
    }

    /// The clock and the peak of this machine, for rows.
    pub fn meter(&self) -> Meter<'_> {
        Meter { timer: &self.timer, peak: &self.peak }
    }

    /// A name that says so where inputs are cold.
    pub fn title(&self, name: &str, dash: char) -> String {
        if self.inputs == Inputs::Cold { format!("{name}{dash}cold") } else { name.to_owned() }
    }

    /// Returns why the device cannot run something that needs these features and a buffer of `bytes`.
    pub fn runnable(&self, features: wgpu::Features, bytes: u64) -> Result<(), String> {
        let (missing, most) = (features - self.device.features(), self.device.limits().max_buffer_size);
        if !missing.is_empty() {
            return Err(format!("needs {}, which this device lacks", adapter::feature_names(missing)));
        }
        if bytes > most {
            return Err(format!("needs a buffer of {bytes} bytes, max_buffer_size is {most}"));
        }
        Ok(())
    }
}

/// Index of an environment variable's value among some; 0 if it is not set.
fn option(variable: &str, values: &[&str]) -> usize {
    let Some(value) = env::var_os(variable) else { return 0 };
    let known = values.iter().position(|known| value.to_str() == Some(known));
    known.unwrap_or_else(|| panic!("{variable}={}: it can be {}", value.display(), values.join(" or ")))
}
