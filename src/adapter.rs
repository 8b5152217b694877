//! Adapters and devices for tools, tests and benches. An application brings its own device.

use wgpu::{Adapter, AdapterInfo, Backend, Backends, Device, DeviceType, Features, Instance, Queue};

/// All features with which halofold runs more types and more rungs, times more precisely, or reads back faster.
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
        (rank(&info), info.backend == Backend::Gl)
    });
    adapters
}

fn rank(info: &AdapterInfo) -> u8 {
    match info.device_type {
        _ if is_software(info) => 4,
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other | DeviceType::Cpu => 3,
    }
}

/// The adapters among these that are different GPUs, as their places in the list: the set for a program that uses all GPUs. One GPU
/// that several back ends offer counts once, with the first of them; GPUs with a PCI address are told apart by it, since equal cards
/// have equal names. Software adapters count only where there is nothing else.
pub fn distinct(adapters: &[AdapterInfo]) -> Vec<usize> {
    let only_software = adapters.iter().all(is_software);
    let mut distinct: Vec<usize> = Vec::new();
    for (nth, info) in adapters.iter().enumerate() {
        let same = |other: &&usize| {
            let other = &adapters[**other];
            match (info.device_pci_bus_id.as_str(), other.device_pci_bus_id.as_str()) {
                ("", _) | (_, "") => info.backend != other.backend && is_alike(info, other),
                (address, others) => address == others,
            }
        };
        if is_software(info) == only_software && !distinct.iter().any(|other| same(&other)) {
            distinct.push(nth);
        }
    }
    distinct
}

/// Returns true if two back ends may offer the same GPU. GL does not tell which one it is.
fn is_alike(one: &AdapterInfo, other: &AdapterInfo) -> bool {
    let is_gl = one.backend == Backend::Gl || other.backend == Backend::Gl;
    is_gl || (one.vendor, one.device) == (other.vendor, other.device)
}

/// The beginnings of software adapters' names. Through a layer above their driver (Wine's Direct3D 12) they may call themselves GPUs.
const SOFTWARE: [&str; 2] = ["llvmpipe", "SwiftShader"];

/// Returns true if the adapter is a software implementation on the CPU.
pub fn is_software(info: &AdapterInfo) -> bool {
    info.device_type == DeviceType::Cpu || SOFTWARE.iter().any(|name| info.name.starts_with(name))
}

/// Opens an adapter with [`HELPFUL_FEATURES`] and all of its limits: halofold uses buffers and workgroups as large as the adapter allows.
///
/// # Errors
///
/// wgpu cannot create the device.
pub async fn open(adapter: &Adapter) -> Result<(Device, Queue), wgpu::RequestDeviceError> {
    adapter
        .request_device(&wgpu::DeviceDescriptor {
            label: Some("halofold"),
            required_features: adapter.features() & HELPFUL_FEATURES,
            required_limits: adapter.limits(),
            ..Default::default()
        })
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(backend: Backend, device: u32, kind: DeviceType, address: &str) -> AdapterInfo {
        let mut info = AdapterInfo::new(kind, backend);
        (info.vendor, info.device, info.device_pci_bus_id) = (1, device, address.to_owned());
        info
    }

    #[test]
    fn software_is_known_by_its_name_too() {
        let mut info = info(Backend::Dx12, 1, DeviceType::IntegratedGpu, "");
        for (name, software) in [("llvmpipe (LLVM 19.1.7, 256 bits)", true), ("Intel(R) Iris(R) Xe", false)] {
            info.name = name.to_owned();
            assert_eq!(is_software(&info), software, "{name}");
        }
    }

    #[test]
    fn each_gpu_counts_once() {
        let discrete = DeviceType::DiscreteGpu;
        let gpus = [
            info(Backend::Vulkan, 7, discrete, "0000:06:00.0"),
            info(Backend::Vulkan, 7, discrete, "0000:07:00.0"),
            info(Backend::Dx12, 7, discrete, "0000:06:00.0"),
            info(Backend::Gl, 0, discrete, ""),
            info(Backend::Vulkan, 0, DeviceType::Cpu, ""),
        ];
        assert_eq!(distinct(&gpus), [0, 1]);
        assert_eq!(distinct(&gpus[3..]), [0]);
        let software = [
            info(Backend::Vulkan, 1, DeviceType::Cpu, ""),
            info(Backend::Vulkan, 2, DeviceType::Cpu, ""),
            info(Backend::Gl, 0, DeviceType::Cpu, ""),
        ];
        assert_eq!(distinct(&software), [0, 1]);
        // Two equal GPUs without addresses, on two back ends.
        let both = [Backend::Metal, Backend::Metal].map(|backend| info(backend, 3, discrete, ""));
        assert_eq!(distinct(&both), [0, 1]);
    }
}
