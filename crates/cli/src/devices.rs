//! `halofold devices`: every adapter, with its limits, and the features and types that it has.

use halofold::wgpu::{self, Features};
use halofold::{Element, adapter};
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::gpu::{adapters, combined};
use crate::output::{print, print_json};

/// Options of `halofold devices`.
#[derive(clap::Args)]
pub struct DevicesArgs {
    /// Print one JSON array of adapters.
    #[arg(long)]
    json: bool,
}

/// The features that matter here, and their use.
const FEATURES: [(Features, &str); 8] = [
    (Features::SUBGROUP, "subgroup rungs"),
    (Features::SHADER_F16, "f16"),
    (Features::SHADER_F64, "f64"),
    (Features::SHADER_INT64, "i64 and u64"),
    (Features::SHADER_INT64_ATOMIC_ALL_OPS, "64-bit atomic rungs"),
    (Features::SHADER_INT64_ATOMIC_MIN_MAX, "part of 64-bit atomics"),
    (Features::SHADER_FLOAT32_ATOMIC, "native f32 atomic sums"),
    (Features::TIMESTAMP_QUERY, "GPU time"),
];

#[derive(Serialize)]
struct Report {
    index: usize,
    name: String,
    backend: String,
    kind: String,
    driver: String,
    /// Its address on the bus, which tells equal cards apart; `None` if the back end does not report it.
    pci: Option<String>,
    in_all: bool,
    subgroup_size: Option<[u32; 2]>,
    features: Vec<String>,
    missing_features: Vec<String>,
    limits: Value,
    types: Vec<String>,
}

/// Runs the command.
pub fn run(args: DevicesArgs) -> Result<(), Failure> {
    let adapters = adapters()?;
    let all = combined(&adapters);
    let report = |(index, adapter)| report(index, adapter, all.contains(&index));
    let reports: Vec<_> = adapters.iter().enumerate().map(report).collect();
    if args.json {
        return print_json(&reports);
    }
    let all: Vec<_> = all.iter().map(usize::to_string).collect();
    let together = match all.len() {
        1 => String::new(),
        _ => format!("\ntogether, by --adapters all: {}\n", all.join(", ")),
    };
    print(&(reports.iter().map(describe).collect::<Vec<_>>().join("\n") + &together))
}

fn report(index: usize, adapter: &wgpu::Adapter, in_all: bool) -> Report {
    let info = adapter.get_info();
    let features = adapter.features();
    let limits = adapter.limits();
    let named = |has: bool| {
        let kept = FEATURES.iter().filter(|(feature, _)| features.contains(*feature) == has);
        kept.map(|(feature, what)| format!("{} ({what})", adapter::feature_names(*feature))).collect()
    };
    let types = Element::ALL.into_iter().filter(|element| features.contains(element.feature()));
    Report {
        index,
        kind: kind(&info).to_owned(),
        pci: Some(info.device_pci_bus_id).filter(|address| !address.is_empty()),
        in_all,
        name: info.name,
        backend: info.backend.to_string(),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        subgroup_size: features
            .contains(Features::SUBGROUP)
            .then_some([info.subgroup_min_size, info.subgroup_max_size]),
        features: named(true),
        missing_features: named(false),
        types: types.map(|element| element.name().to_owned()).collect(),
        limits: json!({
            "max_buffer_size": limits.max_buffer_size,
            "max_storage_buffer_binding_size": limits.max_storage_buffer_binding_size,
            "max_compute_invocations_per_workgroup": limits.max_compute_invocations_per_workgroup,
            "max_compute_workgroup_storage_size": limits.max_compute_workgroup_storage_size,
            "max_compute_workgroups_per_dimension": limits.max_compute_workgroups_per_dimension,
            "min_storage_buffer_offset_alignment": limits.min_storage_buffer_offset_alignment,
        }),
    }
}

fn describe(report: &Report) -> String {
    let limit = |name: &str| report.limits[name].as_u64().unwrap_or_default();
    let subgroups = match report.subgroup_size {
        Some([min, max]) if min == max => format!("{min}"),
        Some([min, max]) => format!("{min} to {max}"),
        None => "none".to_owned(),
    };
    let mut text = format!(
        "{}: {}\n  back end {}, {}, driver {}{}\n  subgroups: {subgroups}\n",
        report.index,
        report.name,
        report.backend,
        report.kind,
        report.driver,
        report.pci.as_ref().map_or(String::new(), |address| format!(", on the bus at {address}")),
    );
    text += &format!(
        "  limits: buffer {}, binding {}, {} invocations and {} of memory a workgroup, {} workgroups a dimension, \
         buffer offsets multiples of {} bytes\n",
        mebibytes(limit("max_buffer_size")),
        mebibytes(limit("max_storage_buffer_binding_size")),
        limit("max_compute_invocations_per_workgroup"),
        format_args!("{} KiB", limit("max_compute_workgroup_storage_size") >> 10),
        limit("max_compute_workgroups_per_dimension"),
        limit("min_storage_buffer_offset_alignment"),
    );
    let list = |heading: &str, items: &[String]| {
        if items.is_empty() { String::new() } else { format!("  {heading}: {}\n", items.join(", ")) }
    };
    text += &list("has", &report.features);
    text += &list("lacks", &report.missing_features);
    text + &list("types", &report.types)
}

fn kind(info: &wgpu::AdapterInfo) -> &'static str {
    match info.device_type {
        _ if adapter::is_software(info) => "software",
        wgpu::DeviceType::DiscreteGpu => "discrete GPU",
        wgpu::DeviceType::IntegratedGpu => "integrated GPU",
        wgpu::DeviceType::VirtualGpu => "virtual GPU",
        wgpu::DeviceType::Cpu | wgpu::DeviceType::Other => "other",
    }
}

fn mebibytes(bytes: u64) -> String {
    if bytes >= 1 << 40 { "unlimited".to_owned() } else { format!("{} MiB", bytes >> 20) }
}
