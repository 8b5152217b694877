//! The kernels of an operation: compiled when they are first needed, and bound to buffers.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::convert::Infallible;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use wgpu::{
    AdapterInfo, BindingResource, BindingType, Buffer, BufferBindingType, ComputePipeline, Device, Features,
    Limits, PipelineCache, StorageTextureAccess, TextureFormat, TextureSampleType, TextureViewDimension,
};

use crate::adapter;
use crate::gpu::buffers;
use crate::gpu::launch::Dispatch;

/// The binding of group 0 with a kernel's parameters.
pub(crate) const PARAMETERS: u32 = 2;

/// A binding of group 0 that a kernel declares: its number and its access.
pub(crate) type Slot = (u32, Access);

/// The access of a kernel to one of its bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    /// A uniform buffer.
    Uniform,
    /// A storage buffer that is only read.
    Read,
    /// A storage buffer that is written, and perhaps read.
    Write,
    /// A texture whose texels are loaded, with samples of this type.
    Texture(TextureSampleType),
    /// A texture of this format that is written.
    Store(TextureFormat),
}

/// The number of launches in which several workgroups combine their partials to one result, for reductions of whole and of strided inputs.
/// In other shapes no workgroup reads what another one writes in the same launch.
///
/// With one launch the last workgroup to finish collects the partials of the others. This is faster, but no specification guarantees
/// the order of atomic operations that it relies on: `docs/determinism.md` explains this. The order between two launches is guaranteed.
///
/// With two launches the exact sum of a buffer is that of one segment. Exact sums of
/// several buffers, of a stride, or of a count on the GPU only have one launch.
///
/// Both ways combine the elements in the same order, so floats have the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Launches {
    /// One launch. No adapter is known on which it fails.
    #[default]
    One,
    /// Two launches. The second has one workgroup.
    Two,
}

/// Options for an operation on a device. Start with [`Options::default`], and change what differs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Options<'a> {
    /// True, the default: kernels may use subgroup operations, if the device has [`wgpu::Features::SUBGROUP`]. Float sums with subgroup
    /// operations may differ in their last bits from those without.
    pub subgroups: bool,
    /// The number of launches of a reduction of a whole or a strided input, one or two: [`Launches::One`] by default.
    pub launches: Launches,
    /// The caller's pipeline cache: `None` by default.
    pub cache: Option<&'a wgpu::PipelineCache>,
    /// Kernels to share with other operations: `None` by default.
    pub kernels: Option<&'a Kernels>,
    /// True if wgpu adds its checks to shaders: clamping of indices, bounds on loops. Only [`Options::unchecked`] turns them off.
    pub(crate) is_checked: bool,
    /// True if additions to workgroup memory are right; `None` if the driver's name tells.
    pub(crate) counts_in_workgroups: Option<bool>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            subgroups: true,
            launches: Launches::One,
            cache: None,
            kernels: None,
            is_checked: true,
            counts_in_workgroups: None,
        }
    }
}

impl<'a> Options<'a> {
    /// Returns these options with or without subgroup operations.
    pub const fn with_subgroups(self, subgroups: bool) -> Self {
        Options { subgroups, ..self }
    }

    /// Returns these options with one launch or two for reductions of whole and strided inputs.
    pub const fn with_launches(self, launches: Launches) -> Self {
        Options { launches, ..self }
    }

    /// Returns these options with a pipeline cache.
    pub const fn with_cache(self, cache: &'a wgpu::PipelineCache) -> Self {
        Options { cache: Some(cache), ..self }
    }

    /// Returns these options with kernels to share: those of equal text compile once. Another quantile or another k of an
    /// operation that is made with the same `kernels` compiles little or nothing.
    pub const fn with_kernels(self, kernels: &'a Kernels) -> Self {
        Options { kernels: Some(kernels), ..self }
    }

    /// Returns these options with the answer of a [`probe`](crate::probe). If it is false, histograms and results by id count in storage, whatever
    /// their configuration says. Without it the driver's name decides.
    pub const fn counting_in_workgroups(self, counts_right: bool) -> Self {
        Options { counts_in_workgroups: Some(counts_right), ..self }
    }

    /// What operations have to know of a device's driver.
    pub(super) fn driver(&self, device: &Device) -> Driver {
        let adapter = device.adapter_info();
        let miscounts =
            self.counts_in_workgroups.map_or_else(|| miscounts(&adapter), |counts_right| !counts_right);
        let is_software = self.counts_in_workgroups.is_none() && adapter::is_software(&adapter);
        // Browsers may run on SwiftShader, and keep its name to themselves.
        let compiles_slowly =
            adapter.name.starts_with("SwiftShader") || adapter.backend == wgpu::Backend::BrowserWebGpu;
        Driver { miscounts, is_software, compiles_slowly }
    }

    /// The features of a device that kernels may use.
    pub(crate) fn features(&self, mut features: Features) -> Features {
        features.set(Features::SUBGROUP, self.subgroups && features.contains(Features::SUBGROUP));
        features
    }

    /// Returns these options without the checks that wgpu adds to shaders: no clamping of indices, no bounds on loops.
    ///
    /// # Safety
    ///
    /// The caller relies on halofold's kernels, as the driver compiles them, to stay inside their buffers and to
    /// terminate, whatever the data are. Nothing else checks this. Functions of the caller's own, as an operator's `map` and `combine` or the
    /// map of a histogram, must do so as well: they may neither index out of bounds nor loop forever.
    pub const unsafe fn unchecked(self) -> Self {
        Options { is_checked: false, ..self }
    }
}

/// What operations have to know of a driver.
#[derive(Clone, Copy, Debug)]
pub struct Driver {
    /// It loses atomic additions in workgroup memory.
    pub(crate) miscounts: bool,
    /// It runs on the processor, and nothing was said of its counting in workgroups.
    pub(crate) is_software: bool,
    /// It takes minutes for many branches inside a loop, as SwiftShader does.
    pub(crate) compiles_slowly: bool,
}

/// True for a driver that loses atomic additions in workgroup memory: Arm's own (wgpu#8643), and not Mesa's for the same GPUs.
fn miscounts(adapter: &AdapterInfo) -> bool {
    const ARM: u32 = 0x13b5;
    adapter.vendor == ARM && !format!("{} {}", adapter.driver, adapter.driver_info).contains("Mesa")
}

/// A kernel's text, and everything else that compiling it needs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Kernel {
    /// The name of the pipeline in a debugger.
    pub label: String,
    /// A complete module.
    pub wgsl: String,
    /// The name of its entry point.
    pub entry_point: &'static str,
    /// The bindings of group 0 that the module declares.
    pub(crate) slots: Cow<'static, [Slot]>,
    /// The values of its overrides.
    pub overrides: Vec<(&'static str, f64)>,
    /// True if it has wgpu's checks, whatever the options say.
    pub(crate) keeps_checks: bool,
}

impl Kernel {
    /// A kernel with the entry point `main`, and with the checks that the options say.
    pub(crate) fn new(
        label: String,
        wgsl: String,
        slots: impl Into<Cow<'static, [Slot]>>,
        overrides: Vec<(&'static str, f64)>,
    ) -> Self {
        Kernel { label, wgsl, entry_point: "main", slots: slots.into(), overrides, keeps_checks: false }
    }
}

/// Returns the overrides that a kernel declares, each with its value.
pub(crate) fn declared<const N: usize>(all: [(&'static str, u32, bool); N]) -> Vec<(&'static str, f64)> {
    let declared =
        |(name, value, is_declared): (_, u32, bool)| is_declared.then_some((name, f64::from(value)));
    all.into_iter().filter_map(declared).collect()
}

/// A compiled kernel. Clones share the pipeline.
#[derive(Clone, Debug)]
pub(crate) struct Pipeline {
    pipeline: ComputePipeline,
    layout: wgpu::BindGroupLayout,
    slots: Cow<'static, [Slot]>,
}

impl Pipeline {
    /// Compiles a kernel, and creates the layout of its group 0. It logs this, because it takes long compared with everything else.
    fn new(device: &Device, kernel: Kernel, is_checked: bool, cache: Option<&PipelineCache>) -> Self {
        log::debug!("compiles {}", kernel.label);
        let label = Some(&*kernel.label);
        let descriptor =
            wgpu::ShaderModuleDescriptor { label, source: wgpu::ShaderSource::Wgsl(kernel.wgsl.into()) };
        let module = if is_checked {
            device.create_shader_module(descriptor)
        } else {
            // SAFETY: the caller of `Options::unchecked` has promised that the kernel stays in bounds and terminates.
            unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
        };
        let entries: Vec<_> = kernel.slots.iter().map(layout_entry).collect();
        let layout =
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(kernel.entry_point),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &kernel.overrides,
                // Every kernel writes workgroup memory before it reads it.
                zero_initialize_workgroup_memory: false,
            },
            cache,
        });
        Pipeline { pipeline, layout, slots: kernel.slots }
    }

    /// Binds a resource to each slot that the kernel declares.
    pub(crate) fn dispatch<'a>(
        &self,
        device: &Device,
        label: &str,
        grid: [u32; 2],
        resource: impl Fn(u32) -> BindingResource<'a>,
    ) -> Dispatch {
        let entry = |&(binding, _): &Slot| wgpu::BindGroupEntry { binding, resource: resource(binding) };
        let entries: Vec<_> = self.slots.iter().map(entry).collect();
        let descriptor =
            wgpu::BindGroupDescriptor { label: Some(label), layout: &self.layout, entries: &entries };
        Dispatch { pipeline: self.pipeline.clone(), bindings: device.create_bind_group(&descriptor), grid }
    }
}

/// Compiled kernels that several operations share: those of equal text, for one device, compile once. Clones share them. It keeps texts and
/// pipelines until the last clone is dropped.
#[derive(Clone, Debug, Default)]
pub struct Kernels(Arc<Mutex<HashMap<Made, Pipeline>>>);

/// Everything that a pipeline is made of.
type Made = (Device, String, &'static str, Vec<(&'static str, u64)>, Vec<Slot>, bool);

/// The kernels of an operation on a device, by a key that tells them apart. Each is compiled when it is first needed, and kept.
#[derive(Debug)]
pub struct Pipelines<K> {
    pub(crate) device: Device,
    pub(crate) limits: Limits,
    /// The features that kernels may use.
    pub(crate) features: Features,
    /// Without what is borrowed.
    options: Options<'static>,
    cache: Option<PipelineCache>,
    shared: Option<Kernels>,
    compiled: Mutex<HashMap<K, Pipeline>>,
    /// The kernel that applies a count on the GPU.
    pub(super) count: OnceLock<Pipeline>,
    nothing: OnceLock<Buffer>,
}

impl<K: Eq + Hash> Pipelines<K> {
    pub(crate) fn new(device: &Device, options: Options<'_>) -> Self {
        Pipelines {
            device: device.clone(),
            limits: device.limits(),
            features: options.features(device.features()),
            options: Options { cache: None, kernels: None, ..options },
            cache: options.cache.cloned(),
            shared: options.kernels.cloned(),
            compiled: Mutex::default(),
            count: OnceLock::new(),
            nothing: OnceLock::new(),
        }
    }

    /// The options with which they are compiled.
    pub(crate) fn options(&self) -> Options<'_> {
        Options { cache: self.cache.as_ref(), kernels: self.shared.as_ref(), ..self.options }
    }

    /// Returns the kernel with a key. On first use it is compiled.
    pub(crate) fn get(&self, key: K, kernel: impl FnOnce() -> Kernel) -> Pipeline {
        let Ok(compiled) = self.try_get(key, || Ok::<_, Infallible>(kernel()));
        compiled
    }

    /// Returns the kernel with a key. On first use it is compiled, unless `kernel` fails.
    pub(crate) fn try_get<E>(
        &self,
        key: K,
        kernel: impl FnOnce() -> Result<Kernel, E>,
    ) -> Result<Pipeline, E> {
        // The map is consistent even if a thread panicked while it held the lock.
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(match compiled.entry(key) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(new) => new.insert(self.compile(kernel()?)).clone(),
        })
    }

    /// Returns a small buffer, for bindings that a kernel declares but does not read.
    pub(crate) fn nothing(&self) -> &Buffer {
        self.nothing.get_or_init(|| buffers::scratch(&self.device, "halofold::nothing", 0))
    }

    pub(super) fn compile(&self, kernel: Kernel) -> Pipeline {
        let (device, is_checked) = (&self.device, self.options.is_checked || kernel.keeps_checks);
        let new = |kernel| Pipeline::new(device, kernel, is_checked, self.cache.as_ref());
        let Some(Kernels(shared)) = &self.shared else { return new(kernel) };
        let overrides = kernel.overrides.iter().map(|(name, value)| (*name, value.to_bits())).collect();
        let slots = kernel.slots.to_vec();
        let made = (device.clone(), kernel.wgsl.clone(), kernel.entry_point, overrides, slots, is_checked);
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.entry(made).or_insert_with(|| new(kernel)).clone()
    }
}

fn layout_entry(&(binding, access): &Slot) -> wgpu::BindGroupLayoutEntry {
    let buffer = |ty| BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    let ty = match access {
        Access::Uniform => buffer(BufferBindingType::Uniform),
        Access::Read => buffer(BufferBindingType::Storage { read_only: true }),
        Access::Write => buffer(BufferBindingType::Storage { read_only: false }),
        Access::Texture(sample) => BindingType::Texture {
            // Texels are loaded, so no format needs to be filterable; depth is read as a float.
            sample_type: match sample {
                TextureSampleType::Float { .. } | TextureSampleType::Depth => {
                    TextureSampleType::Float { filterable: false }
                }
                integers => integers,
            },
            view_dimension: TextureViewDimension::D2,
            multisampled: false,
        },
        Access::Store(format) => BindingType::StorageTexture {
            access: StorageTextureAccess::WriteOnly,
            format,
            view_dimension: TextureViewDimension::D2,
        },
    };
    wgpu::BindGroupLayoutEntry { binding, visibility: wgpu::ShaderStages::COMPUTE, ty, count: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_driver_is_known_to_miscount() {
        let of = |vendor, driver_info: &str| {
            let info = AdapterInfo::new(wgpu::DeviceType::IntegratedGpu, wgpu::Backend::Vulkan);
            miscounts(&AdapterInfo { vendor, driver_info: driver_info.to_owned(), ..info })
        };
        assert!(of(0x13b5, "v1.r38p1-01eac0"));
        assert!(!of(0x13b5, "Mesa 25.0.7") && !of(0x10de, "570.86.15"));
    }
}
