//! The adapters that a command runs on.

use std::io;
use std::panic;
use std::sync::{Arc, Mutex};
use std::thread;

use halofold::read::Readback;
use halofold::{Element, adapter, wgpu};
use halofold_fleet::Member;
use halofold_measure::{Budget, PeakMeter, Timer};

use crate::failure::Failure;
use crate::files::InputError;

fn none_found() -> Failure {
    let remedy = match std::env::consts::OS {
        "windows" => {
            "Windows 10 and later have one in software (WARP), for DX12: if WGPU_BACKEND is set, check what it names. A GPU \
            needs its vendor's driver"
        }
        "macos" => {
            "Every Mac with Metal has one: if WGPU_BACKEND is set, check what it names. A virtual machine may hide its host's"
        }
        _ => {
            "Install a Vulkan driver: your GPU's own, or Mesa's software driver (Debian and Ubuntu: apt-get install \
            mesa-vulkan-drivers; Fedora: dnf install mesa-vulkan-drivers; Arch: pacman -S vulkan-swrast). If VK_DRIVER_FILES \
            or WGPU_BACKEND is set, check what it names"
        }
    };
    refusal!("no GPU adapter found. {remedy}")
}

#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "GPU")]
pub struct AdapterArgs {
    /// Adapter, by its index in `halofold devices` or by a part of its name.
    #[arg(long, value_name = "INDEX|NAME")]
    pub adapter: Option<String>,
}

pub struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub info: wgpu::AdapterInfo,
    pub timer: Timer,
    faults: Arc<Mutex<Vec<String>>>,
}

/// Sets `XDG_RUNTIME_DIR` where Linux has none: Mesa prints an error at every start otherwise.
///
/// # Safety
///
/// No other thread reads or writes the environment meanwhile.
pub unsafe fn give_runtime_folder() {
    if cfg!(target_os = "linux") && std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: guaranteed by the caller.
        unsafe { std::env::set_var("XDG_RUNTIME_DIR", std::env::temp_dir()) };
    }
}

/// Checks the names in `WGPU_BACKEND`, because wgpu ignores unknown names.
fn check_back_end() -> Result<(), Failure> {
    let Ok(names) = std::env::var("WGPU_BACKEND") else { return Ok(()) };
    let unknown = names.split(',').find(|name| wgpu::Backends::from_comma_list(name).is_empty());
    if let Some(name) = unknown {
        return Err(refusal!(
            "WGPU_BACKEND={names}: no back end `{name}`; choose among vulkan, metal, dx12 and gl"
        ));
    }
    let here = wgpu::Instance::enabled_backend_features();
    if wgpu::Backends::from_comma_list(&names).intersects(here) {
        return Ok(());
    }
    let here = here.iter_names().map(|(name, _)| name.to_lowercase()).collect::<Vec<_>>().join(", ");
    let system = std::env::consts::OS;
    Err(refusal!("WGPU_BACKEND={names}: not available on {system}; choose among {here}"))
}

/// Returns all adapters, the preferred one first.
pub fn adapters() -> Result<Vec<wgpu::Adapter>, Failure> {
    check_back_end()?;
    let adapters = pollster::block_on(adapter::list());
    if adapters.is_empty() { Err(none_found()) } else { Ok(adapters) }
}

/// Returns the end of a message about `missing` features; empty if none is missing. A reduction that `has_exact_form` needs no features
/// without --fast.
pub fn instead(has_exact_form: bool, element: Element, missing: wgpu::Features) -> String {
    if missing.is_empty() {
        return String::new();
    }
    let mut ways = Vec::new();
    if has_exact_form {
        ways.push("without --fast it is computed in 32-bit integers, on every adapter".to_owned());
    }
    ways.extend(elsewhere(missing));
    if ways.is_empty() && element.is_float() && element != Element::F32 {
        ways.push("save the array with 32 bits, array.astype('f4')".to_owned());
    }
    if ways.is_empty() {
        ways.push("no adapter of this machine has it".to_owned());
    }
    format!("; {}", ways.join("; "))
}

/// Names where else missing features are available: another adapter, or back ends that `WGPU_BACKEND` excludes.
fn elsewhere(missing: wgpu::Features) -> Option<String> {
    let adapters = adapters().ok()?;
    let other = adapters.iter().enumerate().find(|(_, adapter)| adapter.features().contains(missing));
    if let Some((index, adapter)) = other {
        let info = adapter.get_info();
        return Some(format!("--adapter {index} ({}, {}) has it", info.name, info.backend));
    }
    let is_narrowed = std::env::var_os("WGPU_BACKEND").is_some_and(|names| !names.is_empty());
    is_narrowed.then(|| "adapters that WGPU_BACKEND leaves out may have it: unset it".to_owned())
}

impl AdapterArgs {
    pub fn open(&self) -> Result<Gpu, Failure> {
        Gpu::open(&self.found()?)
    }

    /// Finds the requested adapter, or the preferred one.
    fn found(&self) -> Result<wgpu::Adapter, Failure> {
        match &self.adapter {
            None => {
                check_back_end()?;
                pollster::block_on(adapter::preferred(false)).ok_or_else(none_found)
            }
            Some(requested) => find(&adapters()?, requested),
        }
    }
}

#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "GPU")]
pub struct AnyAdapters {
    #[command(flatten)]
    pub one: AdapterArgs,
    /// Several adapters together: `all` GPUs, or a list of indices or parts of names, like 0,1. `halofold devices` lists them. One that is
    /// named twice is two devices.
    #[arg(long, value_name = "all|LIST", value_delimiter = ',', conflicts_with = "adapter")]
    pub adapters: Vec<String>,
}

impl AnyAdapters {
    pub fn are_listed(&self) -> bool {
        !self.adapters.is_empty()
    }

    pub fn found(&self) -> Result<Vec<wgpu::Adapter>, Failure> {
        if self.adapters.is_empty() {
            return Ok(vec![self.one.found()?]);
        }
        if self.adapters.iter().any(|name| name.trim().is_empty()) {
            return Err(Failure::usage("--adapters: an empty name; write all, or a list like 0,1"));
        }
        let all = adapters()?;
        if self.adapters == ["all"] {
            Ok(combined(&all).into_iter().map(|nth| all[nth].clone()).collect())
        } else if self.adapters.iter().any(|name| name == "all") {
            Err(Failure::usage("--adapters: all includes every GPU; leave the other names out"))
        } else {
            self.adapters.iter().map(|requested| find(&all, requested)).collect()
        }
    }
}

pub fn names<'a>(gpus: impl IntoIterator<Item = &'a Gpu>) -> String {
    gpus.into_iter().map(|gpu| gpu.info.name.as_str()).collect::<Vec<_>>().join(" + ")
}

pub fn combined(all: &[wgpu::Adapter]) -> Vec<usize> {
    adapter::distinct(&all.iter().map(wgpu::Adapter::get_info).collect::<Vec<_>>())
}

fn find(adapters: &[wgpu::Adapter], requested: &str) -> Result<wgpu::Adapter, Failure> {
    let by_index = requested.parse::<usize>().ok().and_then(|index| adapters.get(index));
    let named = |adapter: &&wgpu::Adapter| {
        let name = adapter.get_info().name.to_lowercase();
        requested.parse::<usize>().is_err() && name.contains(&requested.to_lowercase())
    };
    by_index.or_else(|| adapters.iter().find(named)).cloned().ok_or_else(|| {
        let names = adapters.iter().enumerate().map(|(index, adapter)| {
            let info = adapter.get_info();
            format!("\n  {index}: {} ({})", info.name, info.backend)
        });
        let several = match requested == "all" || requested.contains(',') {
            true => format!("; several together are --adapters {requested}, of commands that take them"),
            false => String::new(),
        };
        refusal!("unknown adapter `{requested}`{several}; the adapters are{}", names.collect::<String>())
    })
}

impl Gpu {
    pub fn open(adapter: &wgpu::Adapter) -> Result<Self, Failure> {
        let (device, queue) = pollster::block_on(adapter::open(adapter)).map_err(Failure::usage)?;
        let faults = Arc::new(Mutex::new(Vec::new()));
        let (on_error, on_loss) = (faults.clone(), faults.clone());
        let note = |faults: &Mutex<Vec<String>>, text: String| {
            if let Ok(mut faults) = faults.lock() {
                faults.push(text);
            }
        };
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note(&on_error, error.to_string())));
        device.set_device_lost_callback(move |reason, message| {
            note(&on_loss, format!("the device was lost ({reason:?}): {message}"));
        });
        let timer = Timer::new(&device, &queue);
        Ok(Gpu { info: adapter.get_info(), device, queue, timer, faults })
    }

    /// Opens adapters concurrently, because a driver takes long for each. OpenGL devices share a context and are opened in turn.
    pub fn open_all(adapters: &[wgpu::Adapter]) -> Result<Vec<Self>, Failure> {
        let gpus: Vec<_> = if adapters.iter().any(|adapter| adapter.get_info().backend == wgpu::Backend::Gl) {
            adapters.iter().map(Gpu::open).collect::<Result<_, _>>()?
        } else {
            thread::scope(|scope| {
                let all: Vec<_> = adapters.iter().map(|adapter| scope.spawn(|| Gpu::open(adapter))).collect();
                // A scope does not wait for a driver's work at the end of a thread.
                let joined = |one: thread::ScopedJoinHandle<'_, _>| {
                    one.join().unwrap_or_else(|why| panic::resume_unwind(why))
                };
                all.into_iter().map(joined).collect::<Result<_, _>>()
            })?
        };
        let contexts = halofold_fleet::check_contexts(gpus.iter().map(|gpu| &gpu.device));
        contexts.map(|()| gpus).map_err(Failure::usage)
    }

    pub fn member(&self) -> Member {
        Member { device: self.device.clone(), queue: self.queue.clone() }
    }

    pub fn is_software(&self) -> bool {
        adapter::is_software(&self.info)
    }

    pub fn describe(&self) -> String {
        let wgpu::AdapterInfo { name, backend, driver, driver_info, .. } = &self.info;
        format!("{name} ({backend}), driver {driver} {driver_info}").trim_end().to_owned()
    }

    /// Measures the peak of this machine's memory and follows it from now on. A CPU takes seconds for the default number of samples, so there
    /// `samples` limits it.
    pub fn peak_meter(&self, samples: Option<u32>) -> Result<PeakMeter, Failure> {
        let usual = self.budget(None);
        let few = samples.filter(|samples| self.is_software() && *samples < usual.samples);
        let meter = PeakMeter::new(&self.timer, self.budget(few));
        self.check()?;
        meter.map_err(Failure::usage)
    }

    /// Returns the time budget of measurements.
    pub fn budget(&self, samples: Option<u32>) -> Budget {
        let budget = Budget::of(&self.device);
        match samples {
            // An explicit number of samples has no time limit.
            Some(samples) => budget.exactly(samples),
            None => budget,
        }
    }

    /// Runs work that may fail inside wgpu: out of memory, a driver that refuses a shader, a lost device.
    pub fn attempt<T>(&self, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        match halofold_fleet::faults_of(&self.device, work) {
            (_, Some(wgpu::Error::OutOfMemory { .. })) => {
                Err(Failure::usage("the GPU is out of memory: use fewer elements"))
            }
            (_, Some(error)) => Err(Failure::usage(error)),
            (result, None) => self.check().and(result),
        }
    }

    pub fn check(&self) -> Result<(), Failure> {
        match self.faults.lock() {
            Ok(mut faults) if !faults.is_empty() => {
                Err(Failure::Usage(faults.drain(..).collect::<Vec<_>>().join("\n")))
            }
            _ => Ok(()),
        }
    }

    /// Records a pass that writes to a buffer and waits for it. Returns the buffer's bytes, and the GPU time if there are timestamps.
    pub fn read_results(
        &self,
        label: &'static str,
        output: &wgpu::Buffer,
        record: impl FnOnce(&mut wgpu::ComputePass<'_>),
    ) -> Result<(Vec<u8>, Option<f64>), Failure> {
        let readback = Readback::new(&self.device, output.size());
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(label),
            timestamp_writes: self.timer.stamp(0),
        }));
        readback.encode(&mut encoder, output, 0, output.size()).map_err(Failure::usage)?;
        self.queue.submit([encoder.finish()]);
        let bytes = readback.wait(output.size()).map_err(Failure::usage)?;
        Ok((bytes, self.timer.resolve(0..1).map_err(Failure::usage)?[0]))
    }

    /// Makes a buffer of `len` bytes for kernels to read. Several threads call `fill`, which writes bytes from an offset on.
    pub fn upload(
        &self,
        len: u64,
        fill: impl Fn(u64, &mut [u8]) -> Result<(), InputError> + Sync,
    ) -> Result<wgpu::Buffer, Failure> {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("halofold input"),
            size: len.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT).max(4),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let fill = |offset: u64, target: &mut [u8]| fill(offset, target).map_err(io::Error::other);
        halofold_fleet::upload(&self.device, &self.queue, &buffer, len, fill).map_err(Failure::usage)?;
        Ok(buffer)
    }

    /// Returns the most elements of this size that a buffer holds.
    pub fn largest(&self, element_size: u64) -> u64 {
        (self.device.limits().max_buffer_size / element_size).min(u64::from(u32::MAX))
    }
}
