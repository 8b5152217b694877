//! Adapters and devices for tools, tests and benches. An application brings its own device.

use wgpu::{Adapter, AdapterInfo, Backend, Backends, Device, DeviceType, Features, Instance, Limits, Queue};

/// All features with which halofold runs more types and more rungs, times more precisely, or reads back
/// faster.
pub const HELPFUL_FEATURES: Features = Features::SUBGROUP
    .union(Features::SHADER_F16)
    .union(Features::SHADER_F64)
    .union(Features::SHADER_INT64)
    .union(Features::SHADER_INT64_ATOMIC_MIN_MAX)
    .union(Features::SHADER_INT64_ATOMIC_ALL_OPS)
    .union(Features::SHADER_FLOAT32_ATOMIC)
    .union(Features::MAPPABLE_PRIMARY_BUFFERS)
    .union(Features::TIMESTAMP_QUERY);

/// The names of features, for messages: `SUBGROUP, SHADER_F16`.
pub fn feature_names(features: Features) -> String {
    features.iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
}

/// The back ends that `WGPU_BACKEND` names, or all.
fn allowed() -> Backends {
    Backends::from_env().unwrap_or(Backends::all())
}

/// Makes an instance with some back ends.
///
/// `validation` turns on the back end's own checks: the Vulkan validation layers, if they are installed.
fn instance(backends: Backends, validation: bool) -> Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.backends = backends;
    if validation {
        descriptor.flags |= wgpu::InstanceFlags::VALIDATION;
    }
    Instance::new(descriptor)
}

/// All adapters that can compute, the most capable first: discrete before integrated before software. For the
/// same hardware, the native back end comes before GL. `WGPU_BACKEND` narrows the choice.
pub async fn list() -> Vec<Adapter> {
    sorted(instance(allowed(), false).enumerate_adapters(allowed()).await)
}

/// The default adapter: the first of [`list`]. GL is queried only if no other back end has one. `validation`
/// turns on the back end's own checks, if they are installed.
pub async fn preferred(validation: bool) -> Option<Adapter> {
    for backends in [allowed() - Backends::GL, allowed() & Backends::GL] {
        let found = sorted(instance(backends, validation).enumerate_adapters(backends).await);
        if let Some(adapter) = found.into_iter().next() {
            return Some(adapter);
        }
    }
    None
}

fn sorted(mut adapters: Vec<Adapter>) -> Vec<Adapter> {
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

/// Whether the adapter is a software implementation on the CPU.
pub fn is_software(info: &AdapterInfo) -> bool {
    info.device_type == DeviceType::Cpu
}

/// All limits of an adapter: halofold uses buffers and workgroups as large as the adapter allows.
pub fn helpful_limits(adapter: &Adapter) -> Limits {
    adapter.limits()
}

/// Opens an adapter with [`HELPFUL_FEATURES`] and [`helpful_limits`].
///
/// # Errors
///
/// wgpu cannot create the device.
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
