//! Adapters and devices for tools, tests and benches. An application brings its own device.

use wgpu::{Adapter, AdapterInfo, Backend, Backends, Device, DeviceType, Features, Instance, Limits, Queue};

/// Every feature that lets halofold run more types, more rungs or a better clock.
pub const HELPFUL_FEATURES: Features = Features::SUBGROUP
    .union(Features::SHADER_F16)
    .union(Features::SHADER_F64)
    .union(Features::SHADER_INT64)
    .union(Features::SHADER_INT64_ATOMIC_MIN_MAX)
    .union(Features::SHADER_INT64_ATOMIC_ALL_OPS)
    .union(Features::SHADER_FLOAT32_ATOMIC)
    .union(Features::TIMESTAMP_QUERY);

/// An instance over the back ends that `WGPU_BACKEND` names, or all of them.
///
/// With `validation`, the back end's own checks are on: the Vulkan validation layers, if they are installed.
pub fn instance(validation: bool) -> Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    if validation {
        descriptor.flags |= wgpu::InstanceFlags::VALIDATION;
    }
    Instance::new(descriptor)
}

/// All adapters that can compute, the most capable first: discrete before integrated before software, and of one piece of hardware the native back end before GL.
pub async fn list(instance: &Instance) -> Vec<Adapter> {
    let backends = Backends::from_env().unwrap_or(Backends::all());
    let mut adapters = instance.enumerate_adapters(backends).await;
    adapters.retain(|adapter| {
        adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
    });
    adapters.sort_by_key(|adapter| {
        let info = adapter.get_info();
        (rank(info.device_type), info.backend == Backend::Gl)
    });
    adapters
}

fn rank(kind: DeviceType) -> u8 {
    match kind {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    }
}

/// Whether the adapter is a processor playing a GPU.
pub fn is_software(info: &AdapterInfo) -> bool {
    info.device_type == DeviceType::Cpu
}

/// The limits an adapter has, all of them: halofold asks for buffers and workgroups as large as they come.
pub fn helpful_limits(adapter: &Adapter) -> Limits {
    adapter.limits()
}

/// Opens an adapter with everything that helps.
///
/// # Errors
///
/// wgpu's own, if the device cannot be created.
pub async fn open(adapter: &Adapter) -> Result<(Device, Queue), wgpu::RequestDeviceError> {
    adapter
        .request_device(&wgpu::DeviceDescriptor {
            label: Some("halofold"),
            required_features: adapter.features() & HELPFUL_FEATURES,
            required_limits: helpful_limits(adapter),
            ..Default::default()
        })
        .await
}
